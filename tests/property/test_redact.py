"""Whatever the text: what was planted is gone, the rest stays, and a second time changes nothing."""

from __future__ import annotations

import re
import string

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from everfact.redact import find_secrets, redact

LETTERS = string.ascii_letters + string.digits
SIGNS = [
    "password",
    "secret",
    "token",
    "api_key",
    "=",
    ":",
    " is ",
    '"',
    "'",
    "\\",
    "[redacted: JWT]",
    "[redacted: ",
    "]",
]
STARTS = [
    "sk-",
    "eyJ",
    "AKIA",
    "ghp_",
    "://",
    "@",
    "-----BEGIN PRIVATE KEY-----",
    "bearer ",
    "curl -u ",
    "\n",
    "&",
    "İ",
]
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def run(size: int, alphabet: str = LETTERS) -> st.SearchStrategy[str]:
    return st.text(alphabet, min_size=size, max_size=size)


planted = st.one_of(
    run(40).map("sk-ant-api03-{}".format),
    run(40).map("sk-proj-{}".format),
    run(48).map("sk-{}".format),
    run(35).map("AIza{}".format),
    run(16, string.ascii_uppercase + string.digits).map("AKIA{}".format),
    run(36).map("ghp_{}".format),
    run(60).map("github_pat_{}".format),
    run(24).map("xoxb-123456789012-{}".format),
    run(24).map("sk_live_{}".format),
    run(36).map("npm_{}".format),
    run(80).map("pypi-AgEIcHlwaS5vcmc{}".format),
    run(32, "0123456789abcdef").map("SK{}".format),
    run(43).map("SG.aaaaaaaaaaaaaaaaaaaaaa.{}".format),
    run(20).map("glpat-{}".format),
    run(35, LETTERS).map("123456789:{}".format),
)
surroundings = st.lists(st.sampled_from([*SIGNS, *STARTS, "word", "1", " "]) | st.text(max_size=8), max_size=8).map(
    "".join
)
texts = st.lists(st.sampled_from([*SIGNS, *STARTS]) | planted | st.text(max_size=12), max_size=12).map("".join)


@given(surroundings, st.sampled_from([" ", "\n", '"', "'", "`", "(", ", "]), planted, surroundings)
@unhurried
def test_no_planted_secret_survives(before: str, edge: str, secret: str, after: str) -> None:
    clean, kinds = redact(f"{before}{edge}{secret}{edge}{after}")
    assert secret not in clean
    assert kinds


@given(texts)
@example('password="[redacted: JWT]x1y2z3"')
@unhurried
def test_second_time_changes_nothing(text: str) -> None:
    clean, _ = redact(text)
    assert redact(clean) == (clean, ())


@given(texts)
@unhurried
def test_text_grows_by_its_markers_at_most(text: str) -> None:
    clean, kinds = redact(text)
    markers = re.findall(r"\[redacted: [^\]]+\]", clean)
    assert len(clean) <= len(text) + sum(map(len, markers))
    assert all(any(kind in marker for marker in markers) for kind in kinds)


@given(texts)
@unhurried
def test_findings_are_in_order_apart_and_inside_the_text(text: str) -> None:
    edges = [edge for secret in find_secrets(text) for edge in secret.span]
    assert edges == sorted(edges)
    assert all(0 <= edge <= len(text) for edge in edges)
    assert all(start < end for start, end in (secret.span for secret in find_secrets(text)))


@given(st.text(alphabet=string.ascii_lowercase + " .,\n"))
@unhurried
def test_plain_words_stay(text: str) -> None:
    assert redact(text) == (text, ())
