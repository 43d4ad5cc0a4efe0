"""Each kind of secret is found wherever people leave it; what only looks like one stays."""

from __future__ import annotations

import subprocess
import sys

import pytest

from everfact.redact import Secret, find_secrets, redact

# Put together here, so that no scanner takes this file for a leak.
HEX = "0123456789abcdef"
ALNUM = "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY"
LONG = ALNUM * 3
AWS_SECRET = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzEXAMPLEKy"
JWT = (
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."
    + "eyJzdWIiOiIxMjM0NTY3ODkwIn0."
    + "dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
)
KEY_BODY = "\n".join([LONG[:64], LONG[10:74], LONG[:30] + "=="])
PRIVATE_KEY = "-----BEGIN RSA " + f"PRIVATE KEY-----\n{KEY_BODY}\n-----END RSA " + "PRIVATE KEY-----"

SHAPED = {
    "Anthropic key": "sk-" + "ant-api03-" + LONG,
    "OpenRouter key": "sk-" + "or-v1-" + HEX * 4,
    "OpenAI key": "sk-" + "proj-" + LONG,
    "Google API key": "AI" + "za" + LONG[:35],
    "Google OAuth secret": "GOC" + "SPX-" + LONG[:28],
    "AWS access key": "AK" + "IA" + "IOSFODNN7EXAMPLE",
    "GitHub token": "gh" + "p_" + LONG[:36],
    "Slack token": "xo" + "xb-123456789012-123456789012-" + ALNUM[:24],
    "Stripe key": "sk_" + "live_" + ALNUM[:24],
    "Stripe webhook secret": "wh" + "sec_" + ALNUM,
    "npm token": "np" + "m_" + LONG[:36],
    "PyPI token": "py" + "pi-AgEIcHlwaS5vcmc" + LONG,
    "Twilio key": "S" + "K" + HEX * 2,
    "SendGrid key": "S" + "G." + ALNUM[:22] + "." + LONG[:43],
    "Hugging Face token": "h" + "f_" + LONG[:34],
    "Groq key": "gs" + "k_" + LONG[:52],
    "xAI key": "xa" + "i-" + LONG[:80],
    "DigitalOcean token": "do" + "p_v1_" + HEX * 4,
    "Shopify token": "shp" + "at_" + HEX * 2,
    "Databricks token": "da" + "pi" + HEX * 2,
    "Vault token": "hv" + "s." + ALNUM,
    "Atlassian token": "ATA" + "TT3" + LONG[:60],
    "age key": "AGE-" + "SECRET-KEY-1" + LONG[:58].upper(),
    "JWT": JWT,
    "private key": PRIVATE_KEY,
    "Artifactory token": "AK" + "Cp5" + ALNUM,
    "Discord token": "MT" + ALNUM[:22] + "." + "aB3dE5" + "." + LONG[:27],
    "GitLab token": "gl" + "pat-" + ALNUM[:20],
    "Mailchimp key": HEX * 2 + "-us" + "12",
    "Square secret": "sq0" + "csp-" + LONG[:43],
    "Telegram token": "123456789" + ":" + LONG[:35],
}
PLACES = {
    "alone": "{}",
    "in prose": "He pasted {} into the chat, sadly.",
    "in brackets": "Use it ({}) and tell nobody.",
    "at the end of a line": "the line before\nit was {}\nthe line after",
    "in JSON": '{{"value": "{}", "n": 1}}',
    "in JSON in JSON": '{{"output": "{{\\"value\\": \\"{}\\"}}"}}',
    "in an environment file": "HOST=localhost\nVALUE={}\nPORT=1",
    "in a shell command": "$ run --with {} --quiet",
    "in code": "client = Client('{}', retries=3)",
    "in Markdown": "- see `{}`",
    "in YAML": "config:\n  value: {}\n  other: 1\n",
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", SHAPED)
def test_secret_is_known_by_its_shape_in_every_place(kind: str, place: str) -> None:
    text = PLACES[place].format(SHAPED[kind])
    clean, kinds = redact(text)
    assert clean == PLACES[place].format(f"[redacted: {kind}]")
    assert kinds == (kind,)


ASSIGNED = [
    ('password = "hunter2"', "password", "hunter2"),
    ("password='correcthorse'", "password", "correcthorse"),
    ('{"password": "letmein"}', "password", "letmein"),
    ('{\\"password\\": \\"letmein\\"}', "password", "letmein"),
    ('{"password": "a\\"b"}', "password", 'a\\"b'),
    ("DB_PASSWORD=letmein", "password", "letmein"),
    ("export PGPASSWORD=pa$$word1", "password", "pa$$word1"),
    ("PGPASSWORD=hunter2 psql -h db", "password", "hunter2"),
    ("password: hunter2", "password", "hunter2"),
    ("  password: S3cure!\n  user: ana", "password", "S3cure!"),
    ("Server=db;User Id=sa;Password=abc123;Database=x", "password", "abc123"),
    ("host=db password=abc123 dbname=x", "password", "abc123"),
    ("pwd=123456", "password", "123456"),
    ('passphrase: "correct horse battery staple"', "password", "correct horse battery staple"),
    ("The password is hunter2.", "password", "hunter2"),
    ("the password for the staging box is hunter2, thanks", "password", "hunter2"),
    ("I changed my password to Sommer2024!", "password", "Sommer2024!"),
    ("mysql --password hunter2 --host db", "password", "hunter2"),
    ("mysql --password='hunter2'", "password", "hunter2"),
    ("ALTER USER ana WITH PASSWORD 'hunter2';", "password", "hunter2"),
    ('login("password", "hunter2")', "password", "hunter2"),
    ("<password>hunter2</password>", "password", "hunter2"),
    ("PASSWORD=hunter2\\nHOST=db", "password", "hunter2"),
    ('settings["db_password"] = "hunter2"', "password", "hunter2"),
    ('password: str = "hunter2"', "password", "hunter2"),
    ('$config["pass"] => "hunter2"', "password", "hunter2"),
    ('password = b"hunter2"', "password", "hunter2"),
    ("OPENAI_API_KEY=abcd1234efgh", "API key", "abcd1234efgh"),
    ("api_key: abcd1234efgh5678", "API key", "abcd1234efgh5678"),
    ('apiKey: "abcd1234efgh5678"', "API key", "abcd1234efgh5678"),
    ("X-Api-Key: abcd1234efgh5678", "API key", "abcd1234efgh5678"),
    ("curl 'https://h/?api_key=abcd1234efgh&limit=3'", "API key", "abcd1234efgh"),
    ('"client_secret": "9f8e7d6c-1234"', "secret", "9f8e7d6c-1234"),
    ("SECRET_KEY_BASE=0f1e2d3c4b5a", "API key", "0f1e2d3c4b5a"),
    ("//registry.npmjs.org/:_authToken=0f1e2d3c-4b5a-6978", "token", "0f1e2d3c-4b5a-6978"),
    ("gh auth login --with-token 0f1e2d3c4b5a", "token", "0f1e2d3c4b5a"),
    ("access_token = 'ab12cd34ef56'", "token", "ab12cd34ef56"),
    ("The api key is ab12cd34ef56gh78.", "API key", "ab12cd34ef56gh78"),
    (f"aws_secret_access_key = {AWS_SECRET}", "AWS secret key", AWS_SECRET),
    (f"AWS_SECRET_ACCESS_KEY={AWS_SECRET}", "AWS secret key", AWS_SECRET),
    (f"aws configure set aws_secret_access_key {AWS_SECRET}", "AWS secret key", AWS_SECRET),
    (f'"SecretAccessKey": "{AWS_SECRET}"', "AWS secret key", AWS_SECRET),
    ("postgres://ana:s3cret@db:5432/x", "password in URL", "s3cret"),
    ("redis://:p%40ss@cache", "password in URL", "p%40ss"),
    ("amqp://ana:p@ss@mq", "password in URL", "p@ss"),
    (f"git clone https://{HEX}{HEX}@example.org/x.git", "password in URL", HEX * 2),
    ("curl -u ana:hunter2 https://example.org", "password in command", "hunter2"),
    (f"Authorization: Bearer {ALNUM}", "bearer token", ALNUM),
    (f'-H "authorization: bearer {ALNUM}"', "bearer token", ALNUM),
    ("Authorization: Basic dXNlcjpwYXNz", "authorization header", "dXNlcjpwYXNz"),
    ('"Authorization": "token 0f1e2d3c4b5a"', "authorization header", "0f1e2d3c4b5a"),
    (f"AccountName=x;AccountKey={LONG[:86]}==;EndpointSuffix=y", "Azure key", f"{LONG[:86]}=="),
    (f"https://x.blob/y?se=1&sig={LONG[:43]}%3D", "Azure signature", f"{LONG[:43]}%3D"),
    (f"https://hooks.slack.com/services/T0000/B0000/{ALNUM}", "Slack webhook", f"T0000/B0000/{ALNUM}"),
    (f"https://discord.com/api/webhooks/123456789012/{LONG}", "Discord webhook", f"123456789012/{LONG}"),
    (f"cloudant_password = {HEX * 4}", "Cloudant key", HEX * 4),
    (f"softlayer_api_key: '{HEX * 4}'", "SoftLayer key", HEX * 4),
    (f"AP6{ALNUM}", "Artifactory token", f"AP6{ALNUM}"),
    ("sk-" + ALNUM[:22], "OpenAI key", "sk-" + ALNUM[:22]),
    ("gh" + "u_" + ALNUM, "GitHub token", "gh" + "u_" + ALNUM),
    ("github" + "_pat_" + ALNUM, "GitHub token", "github" + "_pat_" + ALNUM),
    ("ya29." + ALNUM, "Google OAuth secret", "ya29." + ALNUM),
]


@pytest.mark.parametrize(("text", "kind", "value"), ASSIGNED)
def test_secret_is_known_by_what_it_is_given_to(text: str, kind: str, value: str) -> None:
    assert redact(text) == (text.replace(value, f"[redacted: {kind}]"), (kind,))


CLEAN = """
commit 9b38513f0c1d2e3a4b5c6d7e8f90123456789abc
Merge 9b38513 into main
uuid 018f6b1c-7d2a-7c3e-9a4b-0123456789ab
"id": "018f6b1c-7d2a-7c3e-9a4b-0123456789ab"
sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae
"integrity": "sha512-9uVk3Y0LcN3mKq4zUeLr8b1yQ7wP2sXtAoFhJd5EgVnCiMZrTkBxWl6RpSyHvGjOu0DfNaIeKqLmPzXcVbTtQw=="
    --hash=sha256:5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8 \\
etag: W/"33a64df551425fcc55e4d42a148795d9f25f89d4"
<img src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUA...">
everfact 0.1.0, Python 3.11.7, numpy 2.1.3
Please use the password reset link on the login page.
The secret is to keep it simple.
The secret to good tests is patience.
The token budget is 8192 tokens, 4 characters a token.
max_tokens=4096, token_count: 128, tokens: 512
"pad_token": "<|pad0|>", "eos_token": "endoftext50256x"
nextPageToken: CAUQAA12345678
token_type: bearer
Passwords must have at least 8 characters and 1 digit.
password: required
"password": "string"
password: str | None = None
password = get_password(user1)
password = os.environ["DB_PASSWORD"]
api_key = settings.api_key_v2
token = request.headers["x-token-1"]
DB_PASSWORD=${DB_PASSWORD}
DB_PASSWORD=$(cat /run/secrets/db1)
PWD=/home/ana/src2
OLDPWD=/tmp/wt
password = "<your password>"
API_KEY=your-api-key-123
api_key: "sk-..."
password = "********"
"secret": "my-app-secret-v2"
secretName: prod-database-1
secret: my-registry-credentials-2
env: OPENAI_API_KEY2
secret_key_ref: "OPENAI_API_KEY_V2"
postgres://ana:${PASSWORD}@db/x
postgres://ana:<password>@db/x
https://example.org:8080/@ana/post-1
ssh://git@github.com/owner/name.git
mailto:ana@example.org
Send it as a bearer token in the Authorization header.
Authorization: Bearer <token>
Authorization: token budget exceeded
-----BEGIN PUBLIC KEY-----
The file starts with -----BEGIN PRIVATE KEY----- and that is all I know.
It stands between -----BEGIN PRIVATE KEY----- and -----END PRIVATE KEY-----.
risk-adjusted-returns-of-the-second-quarter-of-2024
task-0123456789012345 and disk-image-of-the-day
sk-learn-contrib-imbalanced-learn
docker run -u 1000:1000 image
curl -u ana https://example.org
the compass: N45E12, the passport: C01X00T47
A bypass: route66b
The password field has id "password1-input" in the form.
["username", "password", "email"]
{"type": "password", "name": "x1y2z3"}
eyJ is how a JWT begins, as in eyJhbGciOi.abc.def
eyJ0eXBlIjoiaW1hZ2UifQ==
eyJabcdefghij.abcdef.ghijkl
token = decode(value1, key2)
token = load_token_v2(path)[0]
("NEO4J_PASSWORD", "store_password", "neo4j")
hashed_password = argon2.hash_password(password)
new WebClient('xoxb-your-slack-token')
global-settings-1 and glob-patterns
10.0.0.1:5432 and 2024-06-18T12:30:00Z
ACCEPTED, SKIPPED, AKIA is a prefix
primary_key: user_id_2, cache_key="v2:users:42"
[redacted: password]
password = "[redacted: password]"
password: [redacted: API key]
postgres://ana:[redacted: password in URL]@db
[redacted: OpenAI key]=abcd1234efgh5678 and [redacted: password]: hunter2
das Passwort wurde geändert, die Token-Grenze ist 8192
İzmir'de password reset
""".strip().splitlines()


@pytest.mark.parametrize("text", CLEAN)
def test_clean_text_stays_untouched(text: str) -> None:
    assert redact(text) == (text, ())


def test_clean_lines_are_clean_together() -> None:
    assert find_secrets("\n".join(CLEAN)) == []


MANY_LINES = {
    "a key file": f"before\n{PRIVATE_KEY}\nafter",
    "a key in JSON": 'before "' + PRIVATE_KEY.replace("\n", "\\n") + '" after',
    "a key in code": 'before "' + PRIVATE_KEY.replace("\n", '\\n"\n  + "') + '" after',
    "a key that was cut off": "before\n" + PRIVATE_KEY[: PRIVATE_KEY.index("\n-----END")] + "\nafter",
    "a key in JSON that was cut off": "before " + PRIVATE_KEY[:150].replace("\n", "\\n") + "... after",
    "a PGP key": "before\n" + PRIVATE_KEY.replace("RSA PRIVATE KEY", "PGP PRIVATE KEY BLOCK") + "\nafter",
    "a PuTTY key": f"before\nPrivate-Lines: 3\n{KEY_BODY}\nPrivate-MAC: after",
}


@pytest.mark.parametrize("text", MANY_LINES.values(), ids=MANY_LINES)
def test_private_key_goes_whole_and_what_is_around_it_stays(text: str) -> None:
    clean, kinds = redact(text)
    assert kinds == ("private key",)
    assert clean.startswith("before")
    assert clean.endswith("after")
    assert not any(part in clean for part in (LONG[:20], LONG[20:40], LONG[44:64]))


def test_secret_key_of_aws_is_found_beside_its_access_key() -> None:
    clean, kinds = redact(f"{SHAPED['AWS access key']},{AWS_SECRET}\n")
    assert clean == "[redacted: AWS access key],[redacted: AWS secret key]\n"
    assert kinds == ("AWS access key", "AWS secret key")


def test_found_value_goes_wherever_it_stands_again() -> None:
    clean, kinds = redact('password = "hunter2hunter"\nThen she typed hunter2hunter once more.')
    assert clean == 'password = "[redacted: password]"\nThen she typed [redacted: password] once more.'
    assert kinds == ("password",)


def test_short_value_stays_where_nothing_gives_it_away() -> None:
    clean, _ = redact('password = "post1"\nthe file post1 stays')
    assert clean.endswith("the file post1 stays")


def test_several_kinds_are_each_named_once_in_order() -> None:
    slack, jwt = SHAPED["Slack token"], SHAPED["JWT"]
    clean, kinds = redact(f"{jwt} {slack} {jwt}")
    assert clean == "[redacted: JWT] [redacted: Slack token] [redacted: JWT]"
    assert kinds == ("JWT", "Slack token")


def test_known_shape_names_the_kind_of_an_assigned_value() -> None:
    assert redact(f"ANTHROPIC_API_KEY={SHAPED['Anthropic key']}")[1] == ("Anthropic key",)


def test_value_around_a_known_shape_goes_whole() -> None:
    text = f'"password": "pre+{SHAPED["AWS access key"]}+post" end'
    assert redact(text) == ('"password": "[redacted: AWS access key]" end', ("AWS access key",))


def test_secret_that_shows_only_after_another_went_is_found_too() -> None:
    text = f'"{SHAPED["JWT"]}" password = abc[redacted: JWT] token: ab12cd34ef56'
    assert find_secrets(redact(text)[0]) == []


def test_marker_hides_no_secret_that_it_stands_in() -> None:
    text = 'passphrase = "battery 1 [redacted: JWT]" and "[redacted: JWT]"'
    assert redact(text) == ('passphrase = "[redacted: password]" and "[redacted: JWT]"', ("password",))


def test_marker_of_an_unknown_kind_hides_nothing() -> None:
    assert redact(f"[redacted: {SHAPED['GitHub token']}]")[1] == ("GitHub token",)


def test_finding_says_kind_and_place_and_never_the_value() -> None:
    text = f"İ token {SHAPED['Slack token']} end"
    (secret,) = find_secrets(text)
    assert secret == Secret(kind="Slack token", span=(8, len(text) - 4))
    assert text[slice(*secret.span)] == SHAPED["Slack token"]
    assert SHAPED["Slack token"] not in repr(secret) + str(secret)


def test_clean_text_does_not_load_the_library() -> None:
    loads = "redact(sys.stdin.read()); print('detect_secrets' in sys.modules)"
    code = f"import sys; from everfact.redact import redact; {loads}"
    texts = {"\n".join(CLEAN): "False\n", SHAPED["GitLab token"]: "True\n"}
    for text, loaded in texts.items():
        done = subprocess.run([sys.executable, "-c", code], input=text, capture_output=True, text=True, check=True)
        assert done.stdout == loaded


@pytest.mark.parametrize(
    "unit",
    [
        *(
            "sk-",
            "eyJ",
            "eyJaaaaaaaa.",
            "://a:",
            "curl ",
            "AKIA",
            "xox",
            "AC",
            "bearer ",
            "authorization: ",
            "aaaaaaaa",
        ),
        *(
            "password ",
            "password=",
            "password='",
            "password=a1b2c3",
            "password is ",
            "token: ",
            "token=a&",
            '\\"',
            "\\\\",
        ),
        *("-----BEGIN PRIVATE KEY-----\n", "glpat-", "-us1", "12345678:", ".aaaaaa", "cl_key", "[redacted: JWT]"),
    ],
)
@pytest.mark.timeout(5)
def test_repetition_takes_no_quadratic_time(unit: str) -> None:
    redact(unit * (200_000 // len(unit)))


def test_value_goes_whole_however_long_it_is() -> None:
    assert redact(f"CREDENTIALS={LONG * 100} end") == ("CREDENTIALS=[redacted: secret] end", ("secret",))
    assert redact(f'"token": "{LONG * 100}" end') == ('"token": "[redacted: token]" end', ("token",))


def test_token_far_into_a_long_line_is_found() -> None:
    secret = SHAPED["GitLab token"]
    clean, kinds = redact("x " * 5000 + secret + " x" * 5000 + secret)
    assert kinds == ("GitLab token",)
    assert secret not in clean


@pytest.mark.parametrize("unit", ["a-va", "/", "a_", "a/", "-example", "\\", "Aa1."])
@pytest.mark.timeout(5)
def test_repetition_within_a_value_takes_no_quadratic_time(unit: str) -> None:
    redact(f'token = "1{unit * 20_000}!"\npassword = "{unit * 20_000}!"')
