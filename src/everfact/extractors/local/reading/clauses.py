"""Phrases put together into clauses: who does what to whom, and whether it is asserted at all."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from everfact.extractors.local.reading.phrases import NounPhrase, Phrase, VerbGroup
from everfact.extractors.local.reading.tokens import Token
from everfact.models import ValueType
from everfact.words import word_set

_REPORTING = word_set(
    "say tell claim think believe hear mention guess suggest assume suspect argue insist deny report announce read "
    "write ask wonder hope expect swear joke pretend imagine dream doubt fear worry bet reckon figure see show "
    "remember recall realize feel want suppose propose recommend predict estimate warn ask quote"
)
_EXPECTING = frozenset(("expect", "want", "recommend", "see", "show"))
"""What the gateway expects is no hearsay; what Bob said is."""
_COMPOUND = {("because", "of"), ("out", "of"), ("instead", "of"), ("rather", "than"), ("due", "to")}
_IN_FAVOUR = {"favour": "in favour of", "favor": "in favour of", "place": "instead of", "lieu": "instead of"}
_BREAKS = frozenset(";:—\u2013()[]")
_PASSIVES = word_set(
    "locate base situate direct write produce found establish create develop publish release record compose design "
    "build make own operate hold bear know call name set play star feature sign marry elect appoint hire employ "
    "cause fix lead host use manufacture perform sing illustrate edit translate inspire influence discover invent "
    "launch construct govern administer rule inhabit surround border station educate bury kill award win"
)


@dataclass(slots=True, eq=False)
class Arg:
    """What stands after the verb: a preposition (or nothing) and the things it governs, several if joined by "and"."""

    prep: str
    things: list[NounPhrase]


@dataclass(slots=True, eq=False)
class Clause:
    """One verb with its subject and what follows."""

    subjects: list[NounPhrase]
    about: list[Arg]
    """Prepositional phrases that belong to the subject: "the deadline *for the grant*"."""
    verb: VerbGroup
    args: list[Arg]
    adverbs: set[str]
    complement: str
    """The adjective or adverb after "is"."""
    start: int
    end: int
    mark: str = ""
    is_reported: bool = False

    def arg(self, *preps: str) -> NounPhrase | None:
        """The first thing governed by one of these prepositions ("" is the direct object)."""
        return next((arg.things[0] for prep in preps for arg in self.args if arg.prep == prep), None)

    def things(self, *preps: str) -> list[NounPhrase]:
        """All things governed by these prepositions."""
        return [thing for arg in self.args if arg.prep in preps for thing in arg.things]


def clauses_of(phrases: list[Phrase]) -> list[Clause]:
    """The clauses of a sentence in order; what follows a verb of saying is marked as reported."""
    verbs = [at for at, phrase in enumerate(phrases) if isinstance(phrase, VerbGroup)]
    found: list[Clause] = []
    is_reported = False
    borders = [_subject_start(phrases, at, verbs[n - 1] if n else -1) for n, at in enumerate(verbs)]
    for n, at in enumerate(verbs):
        end = borders[n + 1] if n + 1 < len(verbs) else len(phrases)
        gap = _gap(phrases, at, end)
        clause = _clause(phrases, at, borders[n], gap or end, found[-1] if found else None)
        found.append(replace(clause, is_reported=is_reported or clause.verb.is_infinitive))
        if gap:
            found.append(_gapped(found[-1], phrases, gap, end))
        if clause.verb.lemma in _REPORTING and (clause.subjects or at > 0) and clause.mark != "in-case":
            is_relative = _kind(phrases[borders[n]]) == "wh" and clause.verb.lemma in _EXPECTING
            if n + 1 == len(verbs) and n and not clause.args and not is_relative:
                return [replace(each, is_reported=True) for each in found]
            is_reported = True
    return found


def _gap(phrases: list[Phrase], verb: int, end: int) -> int:
    """Where "Ana owns A *and Bob B*", "A closes on Monday*, B on Friday*" goes on without its verb; else 0."""
    kinds = [_kind(phrase) for phrase in phrases[verb + 1 : end]]
    group, first = phrases[verb], phrases[verb - 1] if verb else None
    has_object = kinds[:1] == ["np"]
    shape = ["np", "np"] if has_object else ["np", "prep", "np"]
    if not isinstance(group, VerbGroup) or not isinstance(first, NounPhrase) or first.pronoun:
        return 0
    for at in range(1, len(kinds) - len(shape)):
        if kinds[at] not in ("conj", "comma") or kinds[at + 1 : at + 1 + len(shape)] != shape:
            continue
        new, last = phrases[verb + 2 + at], phrases[verb + 1 + at + len(shape)]
        before = phrases[verb + at]
        assert isinstance(new, NounPhrase)
        assert isinstance(last, NounPhrase)
        is_same = has_object or (kinds[0] == "prep" and _word(phrases[verb + 1]) == _word(phrases[verb + 3 + at]))
        is_alike = isinstance(before, NounPhrase) and (before.value is None) == (last.value is None)
        if (
            is_same
            and is_alike
            and new.value is None
            and not new.pronoun
            and (new.name is None) == (first.name is None)
        ):
            return verb + 1 + at
    return 0


def _word(phrase: Phrase) -> str:
    return phrase.lower if isinstance(phrase, Token) else ""


def _gapped(clause: Clause, phrases: list[Phrase], gap: int, end: int) -> Clause:
    subject = phrases[gap + 1]
    assert isinstance(subject, NounPhrase)
    args, adverbs, complement = _args(phrases[gap + 2 : end])
    start, stop = _start(subject), _end(phrases[end - 1])
    return replace(
        clause, subjects=[subject], about=[], args=args, adverbs=adverbs, complement=complement, start=start, end=stop
    )


def _kind(phrase: Phrase) -> str:
    if isinstance(phrase, Token):
        return "break" if phrase.text in _BREAKS else "comma" if phrase.text == "," else phrase.kind
    return "np" if isinstance(phrase, NounPhrase) else "vg"


def _subject_start(phrases: list[Phrase], verb: int, previous: int) -> int:
    """Where the clause of the verb at `verb` begins: its subject, or the word that opens it."""
    at = verb - 1
    group = phrases[verb]
    while at > previous and _kind(phrases[at]) in ("adv", "intj"):
        at -= 1
    if at <= previous or (isinstance(group, VerbGroup) and group.is_infinitive):
        return verb
    if _kind(phrases[at]) == "wh":
        return at
    aside = _aside(phrases, at, previous) if _kind(phrases[at]) == "comma" else 0
    if aside:
        return 0 if previous < 0 else _head_of(phrases, aside - 1, previous)
    if _kind(phrases[at]) != "np":
        return at if _kind(phrases[at]) in ("conj", "comma", "mark", "break") else verb
    if isinstance(phrases[verb], VerbGroup) and _is_reduced(phrases, verb):
        return verb
    at = _head_of(phrases, at, previous)
    if previous < 0:
        return 0
    if at - 2 > previous and _is_date(phrases[at - 1]) and _kind(phrases[at - 2]) == "prep":
        at -= 2  # "…: in 2017 Ana worked there"
    while at - 1 > previous and _kind(phrases[at - 1]) in ("mark", "wh", "adv", "conj", "comma"):
        at -= 1
    return at


def _is_date(phrase: Phrase) -> bool:
    return isinstance(phrase, NounPhrase) and phrase.value is not None and phrase.value.type is ValueType.DATE


def _aside(phrases: list[Phrase], comma: int, previous: int) -> int:
    """Where ", Waffles," or ", no longer the lead," opens between a subject and its verb; 0 if nothing does."""
    for at in range(comma - 1, previous + 1, -1):
        is_other = _kind(phrases[at]) == "neg" and _word(phrases[at]) == "not"  # "Jamal, not my cousin, …"
        if is_other or _kind(phrases[at]) in ("conj", "break", "mark", "wh", "vg"):
            return 0
        if _kind(phrases[at]) == "comma":
            return at if _kind(phrases[at - 1]) == "np" and at + 1 < comma else 0
    return 0


def _head_of(phrases: list[Phrase], at: int, previous: int) -> int:
    """From the noun phrase before a verb back over "of the …", "for the …" to the one they belong to."""
    while at - 2 > previous and _kind(phrases[at - 1]) in ("prep", "to") and _kind(phrases[at - 2]) == "np":
        if previous >= 0 and _is_object(phrases, at - 2, previous):
            break
        at -= 2
    return at


def _is_object(phrases: list[Phrase], at: int, previous: int) -> bool:
    """Whether the noun phrase hangs on the verb before: nothing but prepositions and adverbs lies between."""
    between = phrases[previous + 1 : at]
    return all(_kind(phrase) in ("prep", "to", "adv", "np") for phrase in between)


def _is_reduced(phrases: list[Phrase], verb: int) -> bool:
    """ "a film directed by …", "located in …", "starring …": a participle that describes what stands before it."""
    group = phrases[verb]
    assert isinstance(group, VerbGroup)
    if len(group.tokens) > 1 or group.form not in ("past", "part", "ing"):
        return False
    if group.form == "ing" or group.word == "born":
        return True
    following = phrases[verb + 1] if verb + 1 < len(phrases) else None
    if not isinstance(following, Token) or following.kind not in ("prep", "to"):
        return False
    return following.lower == "by" or (group.lemma in _PASSIVES and following.lower in ("in", "at", "on", "as", "near"))


def _clause(phrases: list[Phrase], verb: int, begin: int, end: int, before: Clause | None) -> Clause:
    group = phrases[verb]
    assert isinstance(group, VerbGroup)
    front = phrases[begin:verb]
    subjects, about = _subjects(phrases, front, verb, before)
    if subjects and _is_reduced(phrases, verb) and group.form != "ing":
        group.is_passive, group.is_past = True, True
    args, adverbs, complement = _args(phrases[verb + 1 : end])
    if group.lemma == "take" and args and args[0].things[0].head == "place" and not args[0].prep:
        group.lemma = "take_place"
        args = args[1:]
    adverbs |= {p.lower for p in front if isinstance(p, Token) and p.kind in ("adv", "prep")} | group.adverbs
    mark = _mark(front, subjects)
    place = _owner_before(phrases, begin) if mark == "where" else None
    args += [Arg("in", [place])] if place is not None else []
    first = front[0] if front else group
    args += _front_args(front, subjects, about)
    last = phrases[max(verb, end - 1)]
    return Clause(subjects, about, group, args, adverbs, complement, _start(first), _end(last), mark)


def _mark(front: list[Phrase], subjects: list[NounPhrase]) -> str:
    """The word that makes the clause hang on another one: "when …", "before Ana leaves"."""
    for at, phrase in enumerate(front):
        if isinstance(phrase, Token) and phrase.kind == "mark":
            return phrase.lower
        following = front[at + 1] if at + 1 < len(front) else None
        is_opener = isinstance(phrase, Token) and phrase.lower in ("before", "after", "until", "till")
        if is_opener and subjects and following is subjects[0]:
            assert isinstance(phrase, Token)
            return phrase.lower
    return ""


def _front_args(front: list[Phrase], subjects: list[NounPhrase], about: list[Arg]) -> list[Arg]:
    """ "In March Ana …", "For the app we …": what stands before the subject and does not belong to it."""
    known = {id(thing) for thing in subjects} | {id(thing) for arg in about for thing in arg.things}
    args, _, _ = _args([phrase for phrase in front if id(phrase) not in known])
    return [arg for arg in args if arg.prep and arg.prep != "of"]


def _start(phrase: Phrase) -> int:
    return phrase.tokens[0].start if isinstance(phrase, VerbGroup) else phrase.start


def _end(phrase: Phrase) -> int:
    return phrase.tokens[-1].end if isinstance(phrase, VerbGroup) else phrase.end


def _subjects(
    phrases: list[Phrase], front: list[Phrase], verb: int, before: Clause | None
) -> tuple[list[NounPhrase], list[Arg]]:
    at = verb - 1
    group = phrases[verb]
    while at >= 0 and _kind(phrases[at]) in ("adv", "intj"):
        at -= 1
    if at < 0 or (isinstance(group, VerbGroup) and group.is_infinitive):
        return [], []
    kind = _kind(phrases[at])
    if kind == "wh":
        return _antecedent(phrases, at), []
    if not front and isinstance(phrases[verb], VerbGroup) and _is_reduced(phrases, verb):
        return _described(phrases, at, before), []
    if kind in ("conj", "comma") and not any(isinstance(p, NounPhrase) for p in front):
        return (before.subjects, before.about) if before is not None else ([], [])
    front = _without_aside(front)
    nouns = [p for p in front if isinstance(p, NounPhrase)]
    if not nouns or kind not in ("np", "comma", "break"):
        return [], []
    subjects, about = _named_subjects(front, nouns)
    owner = _owner_before(phrases, verb - len(front))
    first = front[0] if not isinstance(front[0], Token) or front[0].text != "," else front[1]
    if owner is not None and subjects[0].possessor is not None and subjects[0].possessor.pronoun == "whose":
        subjects[0].possessor = owner
    elif owner is not None and isinstance(first, Token) and first.lower == "where" and not about:
        about = [Arg("of", [owner])]
    return subjects, about


def _without_aside(front: list[Phrase]) -> list[Phrase]:
    """ "The office dog, Waffles," is Waffles; "Ana, a nurse," is Ana."""
    if not front or _kind(front[-1]) != "comma":
        return front
    commas = [at for at, phrase in enumerate(front) if _kind(phrase) == "comma"]
    if len(commas) != 2 or commas[-1] != len(front) - 1 or commas[0] == 0:
        return front
    outer, inner = front[: commas[0]], front[commas[0] + 1 : -1]
    named, head = inner[0], outer[-1]
    is_name = len(inner) == 1 and isinstance(named, NounPhrase) and named.name is not None
    return inner if is_name and isinstance(head, NounPhrase) and head.name is None else outer


def _antecedent(phrases: list[Phrase], at: int) -> list[NounPhrase]:
    back = at - 1
    while back >= 0 and _kind(phrases[back]) in ("comma", "adv"):
        back -= 1
    found = phrases[back] if back >= 0 else None
    return [found] if isinstance(found, NounPhrase) else []


def _described(phrases: list[Phrase], at: int, before: Clause | None) -> list[NounPhrase]:
    """What a participle describes: the noun before it, or, where that is what the subject *is*, the subject."""
    if before is not None and before.verb.lemma == "be" and before.subjects and not before.verb.is_negated:
        return before.subjects
    while at >= 0 and _kind(phrases[at]) in ("comma", "conj", "adv"):
        at -= 1
    found = phrases[at] if at >= 0 else None
    if _kind(phrases[at + 1]) == "comma" and before is not None:
        return before.subjects
    return [found] if isinstance(found, NounPhrase) else []


def _owner_before(phrases: list[Phrase], begin: int) -> NounPhrase | None:
    """The thing before ", whose" or ", where"."""
    at = begin - 1
    while at >= 0 and _kind(phrases[at]) == "comma":
        at -= 1
    found = phrases[at] if at >= 0 else None
    return found if isinstance(found, NounPhrase) and not found.pronoun else None


def _named_subjects(front: list[Phrase], nouns: list[NounPhrase]) -> tuple[list[NounPhrase], list[Arg]]:
    """The head of the last run of noun phrases, with what belongs to it, and those joined to it by "and"."""
    at = max(n for n, p in enumerate(front) if isinstance(p, NounPhrase))
    about: list[Arg] = []
    while at >= 2 and _kind(front[at - 1]) in ("prep", "to") and isinstance(front[at - 2], NounPhrase):
        thing, prep = front[at], front[at - 1]
        assert isinstance(thing, NounPhrase)
        assert isinstance(prep, Token)
        about.insert(0, Arg(prep.lower, [thing]))
        at -= 2
    head = front[at]
    assert isinstance(head, NounPhrase)
    if at == 2 and _kind(front[1]) == "comma" and isinstance(front[0], NounPhrase) and _is_place(head):
        return [front[0]], about
    subjects = [head]
    while at >= 2 and _kind(front[at - 1]) in ("conj", "comma") and isinstance(front[at - 2], NounPhrase):
        if _kind(front[at - 1]) == "comma" and len(subjects) == 1:
            break
        at -= 2
        subjects.insert(0, nouns[nouns.index(head) - len(subjects)])
    if at >= 1 and _kind(front[at - 1]) in ("prep", "to") and len(subjects) > 1:
        return subjects[-1:], about
    return subjects, about


def _is_place(phrase: NounPhrase) -> bool:
    return phrase.name is not None and phrase.name.name_type == "Location"


def _args(phrases: list[Phrase]) -> tuple[list[Arg], set[str], str]:
    """What follows a verb up to the first break: arguments, adverbs, a predicate adjective."""
    reader = _Reader()
    for at, phrase in enumerate(phrases):
        if _kind(phrase) in ("mark", "wh", "break", "vg"):
            break
        reader.take(phrase, phrases[at + 1 :])
    return reader.args, reader.adverbs, reader.complement


@dataclass(slots=True, eq=False)
class _Reader:
    """Takes the phrases after a verb one by one."""

    args: list[Arg] = field(default_factory=list)
    adverbs: set[str] = field(default_factory=set)
    complement: str = ""
    prep: str = ""
    is_joined: bool = False
    is_rejected: bool = False

    def take(self, phrase: Phrase, following: list[Phrase]) -> None:
        """One more phrase."""
        if isinstance(phrase, NounPhrase):
            self._take_noun(phrase, following)
        elif isinstance(phrase, Token):
            self._take_word(phrase, following)

    def _take_noun(self, phrase: NounPhrase, following: list[Phrase]) -> None:
        compound = _IN_FAVOUR.get(phrase.head, "") if self.prep == "in" else ""
        if compound and following and isinstance(following[0], Token) and following[0].lower == "of":
            self.prep = compound
            return
        if self.prep == "," and self.args and _is_called(self.args[-1].things[-1], phrase):
            self.args[-1].things[-1] = phrase  # "for his aunt's shop, Eze Textiles"
        elif self.is_rejected:
            self.args.append(Arg("not", [phrase]))
        elif self.is_joined and self.args and not self.prep:
            self.args[-1].things.append(phrase)
        else:
            self.args.append(Arg(self.prep, [phrase]))
        self.prep, self.is_joined, self.is_rejected = "", False, False

    def _take_word(self, token: Token, following: list[Phrase]) -> None:
        kind = _kind(token)
        if kind in ("prep", "to"):
            if token.lower == "of" and self.prep in ("in favour of", "instead of"):
                return
            self.prep = f"{self.prep} {token.lower}" if (self.prep, token.lower) in _COMPOUND else token.lower
            self.is_joined = False
            if not self.complement and not self.args:
                self.complement = token.lower if token.lower in ("down", "up", "off", "out", "over") else ""
        elif kind == "conj" or (kind == "comma" and _is_listing(following)):
            self.is_joined = True
        elif kind == "comma":
            self.is_joined, self.prep = False, ","
        elif kind == "neg":
            self.is_rejected = True
        else:
            if token.lower == "instead":
                self.prep = "instead"
            elif kind in ("adj", "verb") and not self.complement and not self.args:
                self.complement = token.lower
            if not self.is_rejected:  # "no longer Ylva" rejects Ylva, nothing else
                self.adverbs.add(token.lower)


def _is_called(thing: NounPhrase, name: NounPhrase) -> bool:
    """Whether the name is that of the thing before the comma."""
    is_thing = thing.name is None and thing.value is None and not thing.pronoun and bool(thing.det or thing.possessor)
    return is_thing and name.name is not None and name.value is None and len(name.core) == 1 and not name.det


def _is_listing(following: list[Phrase]) -> bool:
    """Whether "A, B and C" goes on after this comma."""
    for at, phrase in enumerate(following[:12]):
        kind = _kind(phrase)
        if kind == "conj":
            return at > 0
        if kind not in ("np", "comma"):
            return False
    return False
