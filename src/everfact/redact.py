"""Secrets out of text: where they stand (`find_secrets`), and the text without them (`redact`).

A secret is known by its own shape (`_SHAPES`, and plugins of detect-secrets by name) or by what it is assigned to
(`password = …`, `api_key: …`, `the password is …`). A value found never leaves this module, only its kind and place.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64decode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from string import ascii_letters, digits


@dataclass(frozen=True, slots=True, kw_only=True)
class Secret:
    """What kind of secret stands where (code points); never the secret itself."""

    kind: str
    span: tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Shape:
    """A secret that shows by itself: `pattern` is tried where a trigger stands; its group, if any, is the secret."""

    kind: str
    triggers: tuple[str, ...]
    pattern: str
    any_case: bool = False


@dataclass(frozen=True, slots=True)
class _Plugin:
    """A detector of detect-secrets, asked only about lines that match `gate`: loading the library takes 150 ms."""

    kind: str
    module: str
    name: str
    gate: str


@dataclass(frozen=True, slots=True)
class _Given:
    """A value that is given to something with a telling name."""

    key: str
    value: str
    span: tuple[int, int]
    is_quoted: bool
    is_variable: bool
    """As in `DB_PASSWORD=…`."""
    is_loose: bool
    """Only space or a comma stands between the two, as after `--password`."""


_W = r"(?<![A-Za-z0-9])"
# Tried at their triggers only and compiled when first met. A run of characters is read once or accepted whole,
# so that no text takes quadratic time.
_SHAPES = (
    _Shape("Anthropic key", ("sk-ant-",), _W + r"sk-ant-[\w-]{16,}"),
    _Shape("OpenRouter key", ("sk-or-",), _W + r"sk-or-[\w-]{20,}"),
    _Shape("OpenAI key", ("sk-",), _W + r"sk-(?:(?:proj|svcacct|admin|service|None)-[\w-]{20,}|[A-Za-z0-9]{32,})"),
    _Shape("OpenAI key", ("sk-",), _W + r"sk-(?=[A-Za-z]*\d)[A-Za-z0-9]{20,}"),
    _Shape("Google API key", ("AIza",), _W + r"AIza[\w-]{35,}"),
    _Shape("Google OAuth secret", ("GOCSPX-", "ya29."), _W + r"(?:GOCSPX-|ya29\.)[\w.-]{20,}"),
    _Shape("AWS access key", ("AKIA", "ASIA", "ABIA", "ACCA"), _W + r"A[KSBC][IC]A[0-9A-Z]{16}(?![0-9A-Za-z])"),
    _Shape("AWS secret key", ("AKIA", "ASIA"), r"A[KS]IA[0-9A-Z]{16}[\s,;:|\"']{1,6}([A-Za-z0-9/+]{40})(?![\w/+=])"),
    _Shape("GitHub token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), _W + r"gh[pousr]_[A-Za-z0-9]{20,}"),
    _Shape("GitHub token", ("github_pat_",), _W + r"github_pat_\w{20,}"),
    _Shape("Slack token", ("xox", "xapp-"), _W + r"(?:xox[abceoprs]|xapp)-(?=[A-Za-z-]*\d)[A-Za-z0-9-]{10,}"),
    _Shape("Slack webhook", ("hooks.slack.com/",), r"hooks\.slack\.com/(?:services|workflows|triggers)/([\w/-]{20,})"),
    _Shape("Discord webhook", ("/api/webhooks/",), r"/api/webhooks/(\d{10,}/[\w-]{20,})"),
    _Shape("Stripe key", ("sk_live_", "rk_live_", "sk_test_", "rk_test_"), _W + r"[sr]k_\w{4}_[0-9A-Za-z]{10,}"),
    _Shape("Stripe webhook secret", ("whsec_",), _W + r"whsec_[A-Za-z0-9+/=]{20,}"),
    _Shape("npm token", ("npm_",), _W + r"npm_[A-Za-z0-9]{36,}"),
    _Shape("PyPI token", ("pypi-",), _W + r"pypi-[\w-]{50,}"),
    _Shape("Azure key", ("AccountKey=", "AccessKey="), r"\w{6,7}Key=([A-Za-z0-9+/]{40,}={0,2})"),
    _Shape("Azure signature", ("sig=",), r"(?<=[?&])sig=([A-Za-z0-9%+/=]{40,})"),
    _Shape("Twilio key", ("AC", "SK"), _W + r"(?:AC|SK)[0-9a-f]{32}(?![0-9A-Za-z])"),
    _Shape("SendGrid key", ("SG.",), _W + r"SG\.[\w-]{16,}\.[\w-]{16,}"),
    _Shape("Hugging Face token", ("hf_",), _W + r"hf_[A-Za-z0-9]{30,}"),
    _Shape("Groq key", ("gsk_",), _W + r"gsk_[A-Za-z0-9]{40,}"),
    _Shape("xAI key", ("xai-",), _W + r"xai-[A-Za-z0-9]{60,}"),
    _Shape("DigitalOcean token", ("dop_v1_", "doo_v1_", "dor_v1_"), _W + r"do[opr]_v1_[a-f0-9]{64}"),
    _Shape("Shopify token", ("shpat_", "shpca_", "shppa_", "shpss_"), _W + r"shp\w\w_[a-fA-F0-9]{32}"),
    _Shape("Databricks token", ("dapi",), _W + r"dapi[a-f0-9]{32}"),
    _Shape("Vault token", ("hvs.", "hvb."), _W + r"hv[sb]\.[\w-]{20,}"),
    _Shape("Atlassian token", ("ATATT3",), _W + r"ATATT3[\w=-]{50,}"),
    _Shape("Artifactory token", ("AKC", "AP"), _W + r"(?:AKC|AP[0-9A-F])(?=[A-Za-z]*\d)[A-Za-z0-9]{20,}"),
    _Shape("age key", ("AGE-SECRET-KEY-1",), r"AGE-SECRET-KEY-1[0-9A-Z]{58}"),
    _Shape("JWT", ("eyJ",), r"(?<![\w-])eyJ[\w-]{8,}(?:\.[\w-]+){1,4}\.?"),
    _Shape(
        "private key",
        ("-----BEGIN ",),
        r"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:(?:(?!-----BEGIN )[\s\S]){0,20000}?-----END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----"
        r"|(?:(?:\s|\\[nr])+[A-Za-z0-9+/=]{16,})+)",  # cut off before its end
    ),
    _Shape("private key", ("Private-Lines: ",), r"Private-Lines: \d+\r?\n((?:[A-Za-z0-9+/=]+(?:\r?\n|$))+)"),
    _Shape(
        "password in URL",
        ("://",),
        r"://(?:[^\s/:@?#\"'<>]{0,100}:([^\s/\"'<>]{1,200})|([A-Za-z0-9_-]{20,200}))@(?=[\w\[$])",
    ),
    _Shape(
        "password in command", ("curl ",), r"curl(?=\s)[^\n]{0,300}?\s(?:-u|--user)[ =]?[\"']?[^\s:\"']+:([^\s\"']{3,})"
    ),
    _Shape("bearer token", ("bearer",), r"(?i:bearer)\s+(?=[^\s\"']*\d)([\w.~+/=-]{16,})", any_case=True),
    _Shape(
        "authorization header",
        ("authorization",),
        r"(?i:authorization[\\\"']*\s*[:=,]\s*[\\\"']*(?:basic|token|apikey))\s+(?=\S*[A-Z0-9])([\w.~+/=-]{6,})",
        any_case=True,
    ),
)

# Those that `_SHAPES` does not know. They are used as they are, without the library's settings: those are global,
# not safe between threads, and could have a found secret tried out over the network.
_PLUGINS = (
    _Plugin("Cloudant key", "cloudant", "CloudantDetector", r"[cC](?i:loudant)"),
    _Plugin("Discord token", "discord", "DiscordBotTokenDetector", r"\.[\w-]{6}\.[\w-]{27}"),
    _Plugin(
        "GitLab token",
        "gitlab_token",
        "GitLabTokenDetector",
        r"gl(?:pat|dt|ft|soat|rt|cbt|imt|ptt|agent|oas)-|GR1348941",
    ),
    _Plugin("Mailchimp key", "mailchimp", "MailchimpDetector", r"-us\d"),
    _Plugin("SoftLayer key", "softlayer", "SoftlayerDetector", r"[sS](?i:oftlayer)"),
    _Plugin("Square secret", "square_oauth", "SquareOAuthDetector", r"sq0csp-"),
    _Plugin("Telegram token", "telegram_token", "TelegramBotTokenDetector", r":(?<=\d{8}:)[\w-]{35}"),
)

_KEYWORD = re.compile(r"(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|credentials?|key(?:[-_. ]?base)?)(?![a-z])")
# What must stand before the words that mean other things as well.
_LEADS = {
    "pass": re.compile(r"(?:(?<![a-z])|db|user|root)\Z"),
    "pwd": re.compile(r"(?<![a-z])\Z"),
    "key": re.compile(
        r"(?:api|access|account|admin|auth|client|deploy|encryption|license|master|private|secret|service|session|shared"
        r"|signing)[-_. ]?\Z"
    ),
}
_GIVEN = re.compile(
    r"""\d{0,3}[\\"'`\])]{0,4}(?:
      [ \t]*:[ \t]*[\w.|\[\]]{1,40}[ \t]*=[ \t]*(?=[\\"'`])                            # password: str = "…"
    | (?P<equals>=)(?!=)(?=\S)
    | [ \t]*(?::=|=>|={1,3}|!={1,2}|:)[ \t]*
    | (?:[ ](?:for|of|on|at|to)[ ][\w .'-]{1,40}?)?(?:[ ](?:is|was|to)(?::?[ ]|:)|:[ ])  # the password for X is …
    | >(?=[^<>\s]+</)                                                                  # <password>…</password>
    | (?P<loose>[ \t]{1,4}|,[ \t]*(?=[\\"']))                                          # --password …
    )""",
    re.VERBOSE,
)
_QUOTED = re.compile(r"(?:[bBrRuU]{0,2}|@)(?P<quote>\\*[\"'`])(?P<value>(?:(?!(?P=quote))(?:\\.|[^\\\n]))+)")
_BARE = re.compile(r"(?P<value>(?:(?!\\[nrt])[^\s\"'`,;<>]){1,300})")
_REST = re.compile(r"(?:(?!\\[nrt])[^\s\"'`,;<>&])*")  # of a value longer than is looked at
_IN_NAMES = "_-." + ascii_letters + digits

_PLACEHOLDER = re.compile(
    r"(?:any|bytes|changeme|empty|env|false|field|hidden|int|invalid|key|masked|missing|name|nil|none|null|number|object"
    r"|optional|pass|passwd|password|prompt|pwd|required|secret|secretstr|stdin|str|string|text|token|true|undefined"
    r"|unset|value|(.)\1*)\Z"
    r"|(?:.*[-_.])?(?:example|placeholder|dummy|redacted)(?:[-_.].*)?\Z|.*(?:\.\.\.|…|\*\*\*|xxxx|\{\{|://)"
    r"|(?:[a-z]+_)+(?:password|secret|token|key)\Z|\$[{(]|\$[a-z_]\w*\Z|%\w+%|\{|<|\[redacted"
    r"|(?:your|my|some|an?|the|insert|enter|replace|env|vault|arn|file)[-_ :.]",
    re.IGNORECASE,
)
_PATH = re.compile(r"(?:[A-Za-z]:|~|\.{1,2})?[/\\](?:[A-Z]?[a-z_. -]*\d{0,3}[/\\])*[A-Z]?[a-z_.-]*\d{0,3}")
_CODE = re.compile(r"[&!(\[]|[A-Za-z_.]+[(\[{]|[a-z_][\w.]*\(|[A-Za-z_]\w{0,24}(?:\.[A-Za-z_]\w{0,24})+\Z")
_WORDS = re.compile(r"[A-Za-z]?[a-z]{0,14}\d{0,3}(?>[-_./:@]v?[A-Za-z]?[a-z]*\d{0,4})*+|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_MOST_SOUGHT = 64  # values looked for a second time; more would make a dump of keys slow
# Names of tokens that are no secrets: a tokenizer's, those of a listing.
_PUBLIC = re.compile(r"(?:next|page|continuation|pad|eos|bos|unk|mask|sep|cls|stop|start|end|sync|special)[-_. ]?\Z")


def find_secrets(text: str) -> list[Secret]:
    """The secrets in a text, in order, none overlapping another."""
    markers = [match.span() for match in _marker().finditer(text)]
    unmarked = _marker().sub(lambda match: "|" * len(match[0]), text)  # what a marker says gives nothing away
    folded = unmarked.replace("İ", "i").lower()  # the only letter that grows; so every place stays the same
    found = [*_shaped(text, folded), *_foreign(text), *_assigned(text, folded)]
    return _apart([*found, *_again(text, found)], markers)


def redact(text: str) -> tuple[str, tuple[str, ...]]:
    """The text with `[redacted: KIND]` in place of each secret, and the kinds found, each once."""
    kinds: dict[str, None] = {}
    while found := find_secrets(text):  # again, as what stands beside a secret may only now show; markers stay
        kinds.update((secret.kind, None) for secret in found)
        parts, last = [], 0
        for secret in found:
            parts += [text[last : secret.span[0]], f"[redacted: {secret.kind}]"]
            last = secret.span[1]
        text = "".join((*parts, text[last:]))
    return text, tuple(kinds)


def _shaped(text: str, folded: str) -> Iterator[Secret]:
    for shape in _SHAPES:
        where = folded if shape.any_case else text
        for trigger in shape.triggers:
            at = where.find(trigger)
            while at >= 0:
                match = re.compile(shape.pattern).match(text, at)
                span = match.span(match.lastindex or 0) if match else (at, at)
                if match and _CHECKS.get(shape.kind, bool)(text[slice(*span)]):
                    yield Secret(kind=shape.kind, span=span)
                    at = where.find(trigger, span[1])
                else:
                    at = where.find(trigger, at + 1)


def _is_jwt(value: str) -> bool:
    header = value.split(".", 1)[0]
    try:
        return b'"' in urlsafe_b64decode(header + "=" * (-len(header) % 4))
    except ValueError:
        return False


def _holds_key(value: str) -> bool:
    return re.search(r"[A-Za-z0-9+/=]{16}", value) is not None


def _is_placeholder(value: str) -> bool:
    return _PLACEHOLDER.match(value) is not None or _PATH.fullmatch(value) is not None


def _is_real(value: str) -> bool:
    return not _is_placeholder(value)


_CHECKS = {
    "JWT": _is_jwt,
    "private key": _holds_key,
    "password in URL": _is_real,
    "password in command": _is_real,
    "bearer token": _is_real,
}


def _foreign(text: str) -> Iterator[Secret]:
    for plugin in _PLUGINS:
        for start, end in _windows(text, plugin.gate):
            for pattern in _denied(plugin.module, plugin.name):
                for match in pattern.finditer(text, start, end):
                    # A group is the secret, or else only its first letters.
                    is_group = bool(match.lastindex) and match.end(1) >= match.end() - 1
                    yield Secret(kind=plugin.kind, span=match.span(1 if is_group else 0))


def _windows(text: str, gate: str) -> list[tuple[int, int]]:
    """The text around each match of the gate: its line, and of that no more than the longest secret may take."""
    windows: list[tuple[int, int]] = []
    for match in re.finditer(gate, text):
        left = max(0, match.start() - 200)
        start = max(left, text.rfind("\n", left, match.start()) + 1)
        end = text.find("\n", match.end(), match.end() + 1200)
        end = end if end >= 0 else match.end() + 1200
        if windows and start < windows[-1][1]:
            start, _ = windows.pop()
        windows.append((start, end))
    return windows


@cache
def _denied(module: str, name: str) -> tuple[re.Pattern[str], ...]:
    return tuple(getattr(import_module(f"detect_secrets.plugins.{module}"), name).denylist)


def _assigned(text: str, folded: str) -> Iterator[Secret]:
    done = 0
    for keyword in _KEYWORD.finditer(folded):
        lead = _LEADS.get(keyword[0])
        if keyword.start() < done or (lead and not lead.search(folded, max(0, keyword.start() - 12), keyword.start())):
            continue
        given = _given(text, folded, keyword)
        if given is None or _is_placeholder(given.value):
            continue
        is_password = keyword[0].startswith("p")
        if (_is_password if is_password else _is_token)(given):
            kind = "password" if is_password else _kind(given)
            start, done = given.span
            if not given.is_quoted and done - start >= 300 and (rest := _REST.match(text, done)):
                done = rest.end()
            yield Secret(kind=kind, span=(start, done))


def _given(text: str, folded: str, keyword: re.Match[str]) -> _Given | None:
    sign = _GIVEN.match(folded, keyword.end())
    match = sign and (_QUOTED.match(text, sign.end()) or _BARE.match(text, sign.end()))
    if not sign or not match:
        return None
    before = text[max(0, keyword.start() - 60) : keyword.start()]
    key = before[len(before.rstrip(_IN_NAMES)) :] + text[keyword.start() : keyword.end()]
    is_variable = sign["equals"] is not None and key.isupper()
    value, start = match["value"], match.start("value")
    if match.re is _BARE:
        value = (value if is_variable else value.split("&", 1)[0]).rstrip(".:)]}\\")
    return _Given(
        key=key,
        value=value,
        span=(start, start + len(value)),
        is_quoted=match.re is _QUOTED,
        is_variable=is_variable,
        is_loose=sign["loose"] is not None,
    )


def _is_password(given: _Given) -> bool:
    value = given.value
    is_mixed = len(value) >= (6 if given.is_loose else 5) and _is_mixed(value)
    if given.is_quoted:
        is_one = "phrase" in given.key.lower() or not re.search(r"\s", value)
        return is_one and len(value) >= 3 and (is_mixed or not given.is_loose)
    if _CODE.match(value):
        return False
    if given.is_loose:
        return is_mixed and given.key.startswith("-")
    return is_mixed or (given.is_variable and len(value) >= 3) or (len(value) >= 6 and value.isdigit())


def _is_token(given: _Given) -> bool:
    value = given.value
    if not _is_mixed(value) or re.search(r"\s", value) or _WORDS.fullmatch(value) or _is_public(given.key):
        return False
    if not given.is_quoted and _CODE.match(value):
        return False
    if given.is_loose and not given.key.startswith("-"):
        return len(value) >= 20 and len(re.findall(r"[\d/+]", value)) >= 3 and value.lower() != value != value.upper()
    return len(value) >= (8 if given.is_quoted or given.is_variable or given.is_loose else 12)


def _is_public(key: str) -> bool:
    lead = key.lower().removesuffix("token")
    return lead != key.lower() and _PUBLIC.search(lead) is not None


def _is_mixed(value: str) -> bool:
    return re.search(r"\d", value) is not None and re.search(r"[^\W\d_]", value) is not None


def _kind(given: _Given) -> str:
    key = re.sub(r"[-_.]", "", given.key.lower())
    if re.fullmatch(r"[A-Za-z0-9/+]{40}", given.value) and ("aws" in key or "secretaccesskey" in key):
        return "AWS secret key"
    return "API key" if "key" in key else "token" if "token" in key else "secret"


def _again(text: str, found: Sequence[Secret]) -> Iterator[Secret]:
    """The same values once more, where nothing beside them gives them away."""
    values = {text[slice(*secret.span)]: secret.kind for secret in found}
    telling = [value for value in values if 8 <= len(value) <= 4000 and _is_mixed(value)][:_MOST_SOUGHT]
    if telling:
        for match in re.finditer("|".join(map(re.escape, telling)), text):
            yield Secret(kind=values[match[0]], span=match.span())


def _apart(found: Sequence[Secret], markers: Sequence[tuple[int, int]]) -> list[Secret]:
    """In order; what overlaps as one, of the kind found first, markers within it included; no marker by itself."""
    spans = [(*secret.span, rank) for rank, secret in enumerate(found)]
    spans += [(*span, len(found)) for span in markers]
    apart: list[tuple[int, int, int]] = []
    for start, end, rank in sorted(spans):
        if apart and start < apart[-1][1]:
            first, last, best = apart.pop()
            apart.append((first, max(last, end), min(best, rank)))
        else:
            apart.append((start, end, rank))
    alone = set(markers)
    return [Secret(kind=found[rank].kind, span=(at, to)) for at, to, rank in apart if (at, to) not in alone]


@cache
def _marker() -> re.Pattern[str]:
    kinds = {part.kind for part in (*_SHAPES, *_PLUGINS)} | {"password", "API key", "token", "secret"}
    return re.compile(rf"\[redacted: (?:{'|'.join(map(re.escape, sorted(kinds)))})\]")
