"""A sentence as tokens: words, numbers, paths, quoted titles; each with its place in the sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass

from everfact.models import Value

_FILE_ENDINGS = (
    "py|pyi|js|jsx|ts|tsx|mjs|rs|go|java|kt|rb|php|cs|cpp|cc|hpp|sh|bash|zsh|sql|md|rst|txt|json|jsonl|yaml|yml|toml|ini|"
    "cfg|conf|lock|html|css|scss|xml|csv|tsv|log|env|proto|ipynb|pdf|docx|xlsx|pptx|png|jpg|svg|tf|gradle|swift|vue"
)
_TOKEN = re.compile(
    rf"""
    (?P<url>https?://[^\s<>()"']+[^\s<>()"'.,;:!?])
  | (?P<mail>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)
  | (?P<code>`[^`\n]{{1,80}}`)
  | (?P<title>[“"][^“”"\n]{{1,300}}[”"])
  | (?P<file>(?<![\w/])(?:~?/|\.{{1,2}}/)?(?:[\w@-][\w.@-]*/)*[\w.@-]*\w\.(?:{_FILE_ENDINGS})\b(?!\.\w)
      |(?<![\w/])(?:~|\.{{1,2}})?/(?:[\w.@-]+/)*[\w.@-]*\w
      |(?<![\w/])(?!\d+/\d+/\d+\b)(?:[\w@-][\w.@-]*/){{2,}}[\w.@-]*\w)
  | (?P<word>(?:Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|Mt|Ft)\.
      |(?:[A-Z]\.){{1,5}}(?=\s|[A-Z]|$|,)
      |(?:ca|wo|do|does|did|is|are|was|were|has|have|had|would|could|should|must|need)(?=n['\u2019]t\b)
      |n['\u2019]t\b|['\u2019](?:s|m|re|ve|ll|d)\b|[^\W\d_](?:[\w]|[-+#.'\u2019](?=[^\W_]))*?(?=n['\u2019]t\b|['\u2019](?:s|m|re|ve|ll|d)\b)
      |[^\W\d_](?:\w|[-'\u2019.](?=\w))*(?:\+\+|\#)?|_\w+)
  | (?P<number>\d+(?:[.,:]\d+)*(?:-\w+|\w+)?%?)
  | (?P<mark>[^\w\s])
    """,
    re.VERBOSE | re.IGNORECASE,
)
_TYPES = {"url": "Document", "title": "Document", "file": "File"}
# Most sentences of talk hold nothing but words, numbers and marks: a simple pattern reads them three times as fast.
_SPECIAL = re.compile(r"[/@`\"“”_+#]|\w\.\w|[A-Z][a-z]?[a-z]?[a-z]?\.\s")
_SIMPLE = re.compile(
    r"(?P<word>[^\W\d_]+?(?=n['\u2019]t\b)|n['\u2019]t\b|['\u2019](?:s|m|re|ve|ll|d)\b|[^\W\d_]\w*(?:(?:-|['\u2019](?!(?:s|m|re|ve|ll|d)\b))\w+)*)"
    r"|(?P<number>\d+(?:[.,:]\d+)*(?:-\w+|\w+)?%?)|(?P<mark>[^\w\s])"
)


@dataclass(slots=True, eq=False)
class Token:
    """A word or a thing that stands for one: `kind` says which, `name_type` what sort of name."""

    text: str
    start: int
    end: int
    kind: str
    lower: str = ""
    lemma: str = ""
    form: str = ""
    name_type: str = ""
    value: Value | None = None


def tokenize(sentence: str) -> list[Token]:
    """Cut a sentence into tokens; kinds are `name`, `word`, `number` and `mark` for now."""
    tokens: list[Token] = []
    sentence = sentence.replace("\u2019", "'") if "\u2019" in sentence else sentence
    pattern = _SIMPLE if _SPECIAL.search(sentence) is None else _TOKEN
    for match in pattern.finditer(sentence):
        kind = match.lastgroup or "mark"
        text = match[0]
        start, end = match.span()
        token = Token(text, start, end, kind, text.lower())
        if kind in ("url", "mail", "code", "title", "file"):
            _name(token, kind)
        if text == "'" and tokens and tokens[-1].lower.endswith("s") and tokens[-1].end == start:
            token = Token("'s", start, end, "word", "'s")  # "the parents' council"
        tokens.append(token)
    return tokens


def _name(token: Token, kind: str) -> None:
    """What is no word of prose is a name as it stands; a quotation is one only if it looks like a title."""
    if kind in ("code", "title"):
        token.text = token.text[1:-1].strip(" .,;:!?") or token.text
        token.start, token.end = token.start + 1, token.end - 1
    token.lower = token.text.lower()
    is_title = token.text[:1].isupper() or token.text[:1].isdigit()
    is_name = kind != "title" or (is_title and token.text.count(" ") < 6)
    token.kind = "name" if is_name and token.text[0].isalnum() else "quote"
    looks_like_file = "/" in token.text or re.search(rf"\.(?:{_FILE_ENDINGS})$", token.lower) is not None
    token.name_type = _TYPES.get(kind) or ("File" if looks_like_file else "Technology" if kind == "code" else "")


_ADVERBS = {
    ("these", "days"): "now", ("from", "now", "on"): "now", ("right", "now"): "now", ("as", "of", "now"): "now",
    ("as", "of", "today"): "now", ("at", "the", "moment"): "now", ("at", "present"): "now", ("for", "now"): "now",
    ("going", "forward"): "now", ("any", "more"): "anymore", ("any", "longer"): "anymore", ("no", "more"): "anymore",
    ("as", "well"): "too", ("so", "far"): "far", ("for", "good"): "permanently", ("full", "time"): "full-time",
    ("part", "time"): "part-time", ("on", "the", "side"): "too", ("to", "this", "day"): "still",
    ("at", "all"): "anyway", ("in", "the", "end"): "finally", ("to", "be", "honest"): "actually",
    ("for", "the", "record"): "actually", ("in", "fact"): "actually", ("since", "then"): "since",
    ("in", "case"): "in-case",
}  # fmt: skip
_OPENING = frozenset(words[0] for words in _ADVERBS)
_TELLING = frozenset(words[-1] for words in _ADVERBS) - {"on"} | {"now"}


def with_adverbs(tokens: list[Token]) -> list[Token]:
    """ "these days", "any more": several words that say what one adverb says are made one."""
    if not any(token.lower in _TELLING for token in tokens):
        return tokens
    merged: list[Token] = []
    at = 0
    while at < len(tokens):
        lowers = tuple(token.lower for token in tokens[at : at + 3])
        size = next((size for size in (3, 2) if lowers[:size] in _ADVERBS and size <= len(lowers)), 0)
        if size:
            first, last = tokens[at], tokens[at + size - 1]
            said = _ADVERBS[lowers[:size]]
            merged.append(Token(said, first.start, last.end, "mark" if said == "in-case" else "adv", said))
        else:
            merged.append(tokens[at])
        at += size or 1
    return merged
