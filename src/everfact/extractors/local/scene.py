"""Who and what phrases stand for: speakers for "I" and "you", the last name for "she", things by their words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from everfact.extractors.local.reading import words
from everfact.extractors.local.reading.clauses import Arg
from everfact.extractors.local.reading.phrases import NounPhrase
from everfact.extractors.local.reading.tokens import Token
from everfact.models import Mention, Value, ValueType
from everfact.words import word_set

_VAGUE = word_set(
    "thing things stuff lot lots bit way ways kind kinds sort part parts one ones time times day days moment minute "
    "while something anything everything nothing someone everyone people guys idea point reason fact question "
    "answer problem couple number amount example rest half others other same hand side end place way matter sense "
    "use need today tomorrow yesterday week weekend month year morning evening night afternoon o'clock"
)
_DROPPED = word_set(
    "new current latest updated revised actual exact present whole entire own old own good nice brand-new"
)
_PAST = word_set("old former previous ex original initial late")


@dataclass(frozen=True, slots=True)
class Attribute:
    """Something that something has: its owner, the word for it, relation and attribute names."""

    owner: Mention
    noun: str
    relation: str
    attribute: str


@dataclass(slots=True)
class Scene:
    """What is known while a text is read: who speaks, the names of this and of the last sentence, what each is."""

    speaker: str = ""
    listener: str = ""
    names: list[tuple[int, Mention]] = field(default_factory=list)
    """Names of this sentence with the place where they end."""
    before: list[Mention] = field(default_factory=list)
    subject: Mention | None = None
    """What the sentence before was about."""
    subject_now: Mention | None = None
    subject_end: int = 0
    kinds: dict[str, Mention | None] = field(default_factory=dict)
    """What "the film" or "the village" stands for; None where it could be two."""
    types: dict[str, str] = field(default_factory=dict)
    topic: Attribute | None = None
    """The attribute spoken of last: "It's 935 euros" after "my landlord put the rent up"."""
    thing: Mention | None = None
    """The things spoken of last, if several: "they"."""
    item: Mention | None = None
    """The thing spoken of last: "it", where the subject is somebody."""
    moved: str = ""
    """Who has just said to have moved, without saying where to."""
    gone: list[Mention] = field(default_factory=list)
    """Named things that were ditched or switched off."""
    known: Mapping[str, str] = field(default_factory=dict)
    """Names of known entities, by their small letters."""

    def turn(self) -> None:
        """A new sentence begins."""
        self.before, self.names = [name for _, name in self.names], []
        self.subject, self.subject_now = self.subject_now, None

    def begin(self, subject: NounPhrase, about: list[Arg]) -> None:
        """A clause about `subject` begins; the first one is what the sentence is about."""
        if self.subject_now is None:
            self.subject_now, self.subject_end = self.mention(subject, about), subject.end

    def see(self, mention: Mention, end: int) -> None:
        """A name was read."""
        if mention.name not in (self.speaker, self.listener):
            self.names.append((end, mention))

    def learn(self, mention: Mention) -> None:
        """What sort of thing a name is came out."""
        if mention.type:
            self.types.setdefault(mention.name, mention.type)

    def is_called(self, mention: Mention, kind: str) -> None:
        """ "X is a film": from now on "the film" is X, unless there are two."""
        known = self.kinds.get(kind, mention)
        self.kinds[kind] = mention if known is not None and known.name == mention.name else None

    def mention(self, phrase: NounPhrase, about: list[Arg] | None = None) -> Mention | None:
        """The entity that a noun phrase names, if any; `about` is what belongs to it ("the demo *for Ana*")."""
        if phrase.pronoun:
            return self._person(phrase.pronoun, phrase.start)
        if phrase.name is not None:
            return Mention(name=phrase.name.text, type=phrase.name.name_type or _type_by_head(phrase))
        text = thing_words(phrase)
        if not text:
            return None
        called = self.kinds.get(text) if phrase.det in ("the", "this", "that") and not about else None
        if called is not None:
            return called
        if about and about[0].prep == "of" and _is_common(about[0].things[0]) and phrase.head not in words.PERSON_HEADS:
            # "backups of the image store" are the image store backups
            whole = self.mention(about[0].things[0])
            text, about = (f"{whole.name} {text}", about[1:]) if whole is not None else (text, about)
        for arg in about or ():
            other = self.mention(arg.things[0]) if arg.prep in ("of", "for", "in", "at", "from", "to") else None
            text += f" {arg.prep} {other.name}" if other is not None else ""
        if phrase.possessor is None or phrase.possessor.pronoun in ("our", "ours"):
            is_any = phrase.det not in ("", "the", "this", "that") or text.lower() in self.known
            own = "" if is_any else self.known.get(f"{self.speaker}'s {text}".lower(), "")
            return Mention(name=own or text, type=_type_by_head(phrase))
        owner = self.mention(phrase.possessor)
        if owner is None:
            return None
        mark = "'" if owner.name.islower() and owner.name.endswith("s") else "'s"
        return Mention(name=f"{owner.name}{mark} {text}", type=_type_by_head(phrase))

    def value(self, phrase: NounPhrase) -> Value | None:
        """The value that a noun phrase gives ("$15", "five people", "Python 3.12")."""
        value = phrase.value
        if value is None:
            return None
        if len(phrase.core) > 1:
            unit = value.unit if value.type is not ValueType.COUNT else phrase.head
            return Value(type=value.type, text=phrase.words(), number=value.number, unit=unit)
        return value

    def _person(self, pronoun: str, at: int) -> Mention | None:
        if pronoun in words.FIRST:
            if self.speaker:
                return Mention(name=self.speaker, type="Person")
            return Mention(name="we" if pronoun in ("we", "us", "our", "ours") else "user", type="")
        if pronoun in words.SECOND:
            return Mention(name=self.listener, type="Person") if self.listener else None
        if pronoun in words.POSSESSIVES and self.subject_now is not None and at >= self.subject_end:
            is_person = self._type(self.subject_now) == "Person" or self._could_be_person(self.subject_now)
            if is_person == (pronoun != "its"):
                return self.subject_now
        if pronoun in words.FEMALE or pronoun in words.MALE:
            return self._somebody(at)
        if pronoun in ("they", "them") and self.thing is not None:
            return self.thing
        return self._something(at) if pronoun in words.NEUTER else None

    def _somebody(self, at: int) -> Mention | None:
        """The one person named before in this sentence, else in the one before; nobody if it could be two."""
        here = self._people([name for end, name in self.names if end <= at])
        if here:
            return here[0] if len(here) == 1 else None
        people = self._people(self.before)
        is_other = self.subject is not None and self.subject.name not in (self.speaker, self.listener)
        if self.subject is not None and is_other and self._could_be_person(self.subject):
            rivals = [name for name in people if name.name != self.subject.name and self._type(name) == "Person"]
            return self.subject if not rivals else None
        return people[0] if len(people) == 1 else None

    def _something(self, at: int) -> Mention | None:
        """What the last sentence was about, if it was a thing and this one names no other thing before."""
        now = self.subject_now if at >= self.subject_end else None
        if now is not None and self._type(now) != "Person" and now.name not in ("we", "user", self.speaker):
            return now
        here = [name for end, name in self.names if end <= at and self._type(name) != "Person"]
        if here:
            return here[0] if len(here) == 1 and self.subject is None else None
        last = self.subject_now if self.subject_now is not None and at >= self.subject_end else self.subject
        if last is not None and (self._type(last) == "Person" or last.name in ("we", "user", self.speaker)):
            last = None
        return last or self.item

    def _type(self, mention: Mention) -> str:
        return mention.type or self.types.get(mention.name, "")

    def _could_be_person(self, mention: Mention) -> bool:
        return self._type(mention) in ("Person", "") and mention.name != mention.name.lower()

    def _people(self, names: list[Mention]) -> list[Mention]:
        """Those who are people for sure; if none is, those who could be."""
        distinct = list({name.name: name for name in names}.values())
        sure = [name for name in distinct if self._type(name) == "Person"]
        return sure or [name for name in distinct if self._could_be_person(name)]


def thing_words(phrase: NounPhrase) -> str:
    """The words of a common noun phrase that name it, or nothing if they name nothing in particular."""
    core = [token for token in phrase.core if token.lower not in _DROPPED]
    while core and core[0].value is not None and core[0].value.type is not ValueType.FREQUENCY and len(core) > 1:
        core = core[1:]
    is_named = len(core) > 1 and core[-2].kind == "noun" and core[-1].lower in ("number", "time", "day")
    if not core or (core[-1].lower in _VAGUE and not is_named) or (core[-1].kind == "value" and len(core) == 1):
        return ""
    return " ".join(_plain(token) for token in core)


def _is_common(phrase: NounPhrase) -> bool:
    return phrase.name is None and phrase.value is None and phrase.det == "the" and not phrase.pronoun


def is_past_thing(phrase: NounPhrase) -> bool:
    """ "my old job", "her former boss"."""
    return any(token.lower in _PAST for token in phrase.core[:-1])


def _plain(token: Token) -> str:
    return (
        token.text
        if token.kind == "name" or token.text.isupper() or any(c.isupper() for c in token.text[1:])
        else token.lower
    )


def _type_by_head(phrase: NounPhrase) -> str:
    nouns = [token.lower for token in phrase.core if token.kind == "noun"]
    head = phrase.head if phrase.name is None else (nouns[-1] if nouns else "")
    if head in words.PERSON_HEADS:
        return "Person"
    if head in words.TYPE_HEADS:
        return words.TYPE_HEADS[head]
    if head in words.ORGANIZATION_HEADS:
        return "Organization"
    return "Location" if head in words.PLACE_HEADS else ""
