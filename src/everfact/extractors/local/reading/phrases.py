"""Tokens grouped into phrases: noun phrases and verb groups, with the little words between them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from everfact.extractors.local.reading.classes import ASPECT, classify
from everfact.extractors.local.reading.lexicon import SAME_IN_PAST
from everfact.extractors.local.reading.tokens import Token, with_adverbs
from everfact.extractors.local.reading.words import FAMILY, PERSON_HEADS, PETS
from everfact.models import Value, ValueType
from everfact.words import word_set

_CATENATIVE = word_set(
    "want need plan decide hope try like love start begin continue agree intend wish prefer expect manage choose "
    "promise refuse offer learn ask threaten tend happen seem appear use get vow mean prepare cease have go"
)
_PARTICLES = {
    "give": "up", "take": "over", "hand": "over off", "go": "up down with", "move": "out in on back over",
    "phase": "out", "step": "down back up", "stand": "down", "drop": "out", "sign": "up off", "break": "up off",
    "split": "up",
    "put": "off", "push": "back out up", "bring": "forward", "turn": "down off on", "set": "up",
    "come": "out back", "pass": "on over", "settle": "down on", "pick": "up", "shut": "down",
    "roll": "out back", "call": "off", "grow": "up", "end": "up", "be": "back", "carry": "on", "pull": "out",
    "switch": "over off on", "swap": "out", "cut": "down", "wind": "down", "start": "out", "work": "out",
    "find": "out", "back": "up", "clean": "up", "wake": "up", "get": "up together", "scale": "up down", "bump": "up",
    "look": "after", "let": "go", "rip": "out", "throw": "out", "log": "in out",
}  # fmt: skip
_TITLES = PERSON_HEADS | PETS
_JOINS = frozenset((ValueType.COUNT, ValueType.VERSION))


@dataclass(slots=True, eq=False)
class NounPhrase:
    """A thing as it is named: determiner, owner, words before the head, the head; or a pronoun; or a bare value."""

    tokens: list[Token]
    possessor: NounPhrase | None = None
    det: str = ""
    pronoun: str = ""
    name: Token | None = None
    value: Value | None = None
    head: str = ""

    @property
    def start(self) -> int:
        """Where it begins in the sentence."""
        return self.tokens[0].start

    @property
    def end(self) -> int:
        """Where it ends in the sentence."""
        return self.tokens[-1].end

    def words(self, *, without: tuple[str, ...] = ()) -> str:
        """Its words after determiner and owner, as written."""
        return " ".join(token.text for token in self.core if token.lower not in without)

    @property
    def core(self) -> list[Token]:
        """Its tokens after determiner and owner."""
        first = 0
        for at, token in enumerate(self.tokens):
            if token.kind in ("det", "poss", "gen"):
                first = at + 1
        return self.tokens[first:] or self.tokens[-1:]


@dataclass(slots=True, eq=False)
class VerbGroup:
    """A verb with its helpers: tense, voice, modality, and the verbs wrapped around it ("stopped using")."""

    tokens: list[Token]
    lemma: str = ""
    form: str = ""
    word: str = ""
    modal: str = ""
    particle: str = ""
    is_past: bool = False
    is_passive: bool = False
    is_progressive: bool = False
    is_perfect: bool = False
    is_negated: bool = False
    is_infinitive: bool = False
    is_over: bool = False
    """ "no longer", "not … any more", "used to"."""
    adverbs: set[str] = field(default_factory=set)
    wrappers: list[str] = field(default_factory=list)


Phrase = NounPhrase | VerbGroup | Token


def phrases_of(tokens: list[Token]) -> list[Phrase]:
    """Noun phrases, verb groups, and what stands between them, in order."""
    tokens = with_adverbs(tokens)
    classify(tokens)
    found: list[Phrase] = []
    at = 0
    while at < len(tokens):
        for read in (_read_verb_group, _read_noun_phrase):
            phrase, after = read(tokens, at)
            if phrase is not None:
                found.append(phrase)
                at = after
                break
        else:
            found.append(tokens[at])
            at += 1
    return _with_called(found)


def _with_called(phrases: list[Phrase]) -> list[Phrase]:
    """ "a chain called Doughmore" is one noun phrase, with that name."""
    if not any(isinstance(phrase, VerbGroup) and phrase.lemma in ("call", "name", "let") for phrase in phrases):
        return phrases
    for at in range(len(phrases) - 2, 0, -1):
        if at + 1 >= len(phrases):
            continue
        thing, called, name = phrases[at - 1 : at + 2]
        if isinstance(thing, VerbGroup) and thing.lemma == "let" and isinstance(name, VerbGroup) and name.word == "go":
            thing.particle = "go"  # "Globex let me go"
            del phrases[at + 1]
            continue
        if not (isinstance(thing, NounPhrase) and isinstance(called, VerbGroup) and isinstance(name, NounPhrase)):
            continue
        is_called = called.lemma in ("call", "name") and len(called.tokens) == 1 and called.form in ("past", "part")
        if (
            is_called
            and name.name is not None
            and thing.name is None
            and thing.head not in FAMILY
            and not thing.pronoun
        ):
            phrases[at - 1 : at + 2] = [name]
    return phrases


def asides(tokens: list[Token]) -> list[list[Token]]:
    """The sentence without its parentheses, and each parenthesis behind the name or noun that it speaks of."""
    if not any(token.text == "(" for token in tokens):
        return [tokens]
    main: list[Token] = []
    parts: list[list[Token]] = []
    depth = 0
    for token in tokens:
        if token.text == "(":
            depth += 1
            if depth == 1:
                parts.append([replace(token) for token in main[-1:] if token.kind == "name"])
        elif token.text == ")":
            depth = max(0, depth - 1)
        elif depth:
            parts[-1].append(token)
        else:
            main.append(token)
    return [main, *(part for part in parts if len(part) > 1)]


def _read_noun_phrase(tokens: list[Token], at: int) -> tuple[NounPhrase | None, int]:
    begin = at
    if tokens[at].kind == "pron":
        return NounPhrase([tokens[at]], pronoun=tokens[at].lower, head=tokens[at].lower), at + 1
    while at < len(tokens) and tokens[at].kind in ("det", "poss"):
        at += 1
    opening = tokens[begin:at]
    det = next((token.lower for token in opening if token.kind == "det"), "")
    first = at
    while at < len(tokens) and _belongs(tokens, first, at):
        at += 1
    while at > first and tokens[at - 1].kind in ("adv", "verb"):
        at -= 1
    part = tokens[first:at]
    if part and not _has_noun(part) and _stands_for_noun(tokens, begin, first, at):
        part[-1].kind = "noun"
    if not _has_noun(part):
        lonely = NounPhrase(opening, det=det, pronoun=det, head=det) if _is_lonely(tokens, begin, first) else None
        return lonely, first if lonely is not None else begin
    owner = next((token for token in opening if token.kind == "poss"), None)
    possessor = NounPhrase([owner], pronoun=owner.lower) if owner is not None else None
    return _owned(tokens, begin, at, _noun_phrase(tokens[begin:at], part, possessor, det))


def _has_noun(part: list[Token]) -> bool:
    return any(token.kind in ("noun", "name", "value") for token in part)


def _owned(tokens: list[Token], begin: int, at: int, phrase: NounPhrase) -> tuple[NounPhrase, int]:
    """The phrase, or what it has: "Ana's sister" is the sister."""
    if at + 1 >= len(tokens) or tokens[at].kind != "gen":
        return phrase, at
    owned, after = _read_noun_phrase(tokens, at + 1)
    if owned is None or owned.pronoun:
        return phrase, at
    innermost = owned
    while innermost.possessor is not None:
        innermost = innermost.possessor
    innermost.possessor = phrase
    owned.tokens = tokens[begin:after]
    return owned, after


def _stands_for_noun(tokens: list[Token], begin: int, first: int, at: int) -> bool:
    """ "the standup", "a vegetarian", "to main": an adjective, or a word taken for one, where a noun must be."""
    after = tokens[at] if at < len(tokens) else None
    is_end = after is None or after.kind not in ("noun", "name", "value", "conj", "adj")
    is_label = first == 0 and after is not None and after.text == ":"  # "Stand-up: …"
    return is_end and (is_label or begin < first or (first > 0 and tokens[first - 1].kind in ("to", "from")))


def _is_lonely(tokens: list[Token], begin: int, first: int) -> bool:
    """ "Both are here", "this works"."""
    return (
        first - begin == 1
        and tokens[begin].kind == "det"
        and tokens[begin].lower in ("this", "that", "these", "those", "both", "all")
    )


def _belongs(tokens: list[Token], first: int, at: int) -> bool:
    token = tokens[at]
    before = tokens[at - 1] if at > first else None
    if token.kind in ("adj", "noun"):
        is_inside = at + 1 < len(tokens) and tokens[at + 1].kind in ("noun", "adj") and tokens[first - 1].kind == "det"
        return before is None or before.kind != "name" or token.kind == "noun" or is_inside
    if token.kind == "name":
        is_count = before is not None and before.value is not None and before.value.type is ValueType.COUNT
        # "my sister Ana" is one, "after the surgery Ana …" is two.
        is_title = token.name_type != "Person" or before is None or before.lower in _TITLES
        return before is None or before.kind == "adj" or (before.kind == "noun" and is_title) or is_count
    if token.kind == "value":
        assert token.value is not None
        if before is None or before.kind == "adj":
            return True
        return token.value.type in _JOINS and before.kind in ("noun", "name")
    if token.kind == "adv":
        return (
            at + 1 < len(tokens)
            and tokens[at + 1].kind == "adj"
            and token.lower in ("very", "most", "almost", "nearly", "about", "really")
        )
    return token.text == "-" and False


def _noun_phrase(whole: list[Token], part: list[Token], possessor: NounPhrase | None, det: str) -> NounPhrase:
    last = part[-1]
    name = last if last.kind == "name" else None
    value = next((token.value for token in part if token.value is not None), None)
    head = last.lower
    if last.kind == "value" and len(part) > 1:
        before = part[-2]
        name = before if before.kind == "name" else None
        head = before.lower
        if value is not None and value.type is ValueType.COUNT and name is not None:
            value = Value(type=ValueType.VERSION, text=value.text)
    return NounPhrase(whole, possessor=possessor, det=det, name=name, value=value, head=head)


def _read_verb_group(tokens: list[Token], at: int) -> tuple[VerbGroup | None, int]:
    begin = at
    group = VerbGroup([])
    if tokens[at].kind == "to":
        if not (
            at + 1 < len(tokens) and tokens[at + 1].kind in ("verb", "be", "have", "adv") and _is_base(tokens, at + 1)
        ):
            return None, begin
        group.is_infinitive = True
        at += 1
    while at < len(tokens) and not group.lemma:
        if not _take(group, tokens, at):
            break
        at += 1
    if not group.lemma:
        if not any(token.kind in ("be", "have", "do") for token in tokens[begin:at]):
            return None, begin
        last = next(token for token in reversed(tokens[begin:at]) if token.kind in ("be", "have", "do"))
        group.lemma, group.form, group.word = {"be": "be", "have": "have", "do": "do"}[last.kind], "s", last.lower
        while at - 1 > begin and tokens[at - 1].kind == "adv" and tokens[at - 1].lower != "longer":
            at -= 1
    at = _wrap(group, tokens, at)
    group.tokens = tokens[begin:at]
    _settle(group, tokens, begin, at)
    return group, at


def _is_base(tokens: list[Token], at: int) -> bool:
    token = tokens[at]
    return (
        token.kind in ("be", "have")
        or (token.kind == "verb" and token.form == "base")
        or (token.kind == "adv" and at + 1 < len(tokens) and tokens[at + 1].kind == "verb")
    )


def _take(group: VerbGroup, tokens: list[Token], at: int) -> bool:
    """Let the group take one more token, if it is one of its own."""
    token = tokens[at]
    kind = token.kind
    if token.lower == "longer" and group.is_over:
        return True
    if kind == "neg":
        group.is_over = group.is_over or token.lower == "no"
        group.is_negated = group.is_negated or token.lower != "no"
    elif kind == "adv":
        if not _leads_to_verb(tokens, at):
            return False
        group.adverbs.add(token.lower)
    elif kind == "modal":
        group.modal = token.lower
    elif kind in ("be", "have", "do"):
        group.is_past = group.is_past or token.lower in ("was", "were", "had", "did")
    elif kind == "verb":
        group.lemma, group.form, group.word = token.lemma, token.form, token.lower
    else:
        return False
    return True


def _leads_to_verb(tokens: list[Token], at: int) -> bool:
    while at < len(tokens) and tokens[at].kind in ("adv", "neg"):
        at += 1
    return at < len(tokens) and tokens[at].kind in ("verb", "be", "have", "do", "modal")


def _wrap(group: VerbGroup, tokens: list[Token], at: int) -> int:
    """Step into "stopped using", "decided to use", "is going to use": the inner verb is what is said."""
    while at < len(tokens):
        token = tokens[at]
        if (
            token.kind == "adv"
            and at + 1 < len(tokens)
            and tokens[at + 1].kind in ("to", "verb")
            and group.lemma in _CATENATIVE
        ):
            at += 1
        elif token.kind == "to" and group.lemma in _CATENATIVE and at + 1 < len(tokens) and _is_base(tokens, at + 1):
            group.wrappers.append(group.lemma if group.form != "ing" or group.lemma != "go" else "will")
            inner = tokens[at + 1] if tokens[at + 1].kind != "adv" else tokens[at + 2]
            _become(group, inner)
            at += 2 if tokens[at + 1].kind != "adv" else 3
        elif (
            token.kind == "verb"
            and token.form in ("past", "part")
            and (group.lemma == "get" or (group.lemma == "be" and group.wrappers))
            and not group.is_passive
        ):
            group.lemma, group.word, group.is_passive = token.lemma, token.lower, True
            at += 1
        elif token.kind == "verb" and token.form == "ing" and group.lemma in ASPECT:
            group.wrappers.append(group.lemma)
            group.lemma, group.word = token.lemma, token.lower
            at += 1
        elif token.lower in _PARTICLES.get(group.lemma, "").split() and token.kind in ("prep", "adv", "adj", "noun"):
            group.particle = token.lower
            at += 1
            if not (at < len(tokens) and tokens[at].kind == "verb" and tokens[at].form == "ing"):
                break
        else:
            break
    return at


def _become(group: VerbGroup, inner: Token) -> None:
    if group.word == "used":
        group.is_over = True
    group.lemma = inner.lemma or ("be" if inner.kind == "be" else "have")
    group.word = inner.lower


def _settle(group: VerbGroup, tokens: list[Token], begin: int, at: int) -> None:
    """Tense and voice from the helpers."""
    helpers = [token for token in tokens[begin:at] if token.kind in ("be", "have")]
    has_be = any(token.kind == "be" for token in helpers) and group.lemma != "be"
    has_have = any(token.kind == "have" for token in helpers) and group.lemma != "have"
    group.is_progressive = has_be and group.form == "ing"
    is_same = group.lemma in SAME_IN_PAST and group.word == group.lemma
    group.is_passive = group.is_passive or (has_be and (group.form in ("past", "part") or is_same))
    group.is_perfect = has_have
    if group.word == "got" and group.lemma == "get" and has_have and not group.particle:
        group.lemma, group.is_perfect = "have", False  # "we've got 4 cats"
    is_bare = not helpers and not group.modal and not group.is_infinitive and group.lemma not in ("cost", "read")
    if is_bare and (group.form in ("past", "part") or (group.word == group.lemma and group.lemma in SAME_IN_PAST)):
        group.is_past = True
    following = tokens[at:]
    if any(token.lower == "anymore" for token in following):
        group.is_over = group.is_over or group.is_negated
    if group.is_over:
        group.is_negated = False
