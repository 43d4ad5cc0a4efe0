"""What names say by standing together: "Oslo, Norway", "my sister Ana", "the Olympics in Turin"."""

from __future__ import annotations

from everfact.extractors.local.draft import HAPPENED, HOLDS, Draft
from everfact.extractors.local.reading import words
from everfact.extractors.local.reading.clauses import Arg
from everfact.extractors.local.reading.phrases import NounPhrase, Phrase, VerbGroup
from everfact.extractors.local.reading.tokens import Token
from everfact.extractors.local.rules.attributes import attribute_in
from everfact.extractors.local.rules.frames import numbered, typed
from everfact.extractors.local.scene import Scene
from everfact.models import Mention, Value, ValueType
from everfact.relations import relation_name

_TIMED = frozenset((ValueType.DATE, ValueType.TIME, ValueType.WEEKDAY, ValueType.FREQUENCY))
_INSIDE = frozenset(("in", "of", "at", "near", "from", "within", "on"))


def by_names(phrases: list[Phrase], scene: Scene) -> list[Draft]:
    """Everything that neighbouring noun phrases say about each other."""
    drafts: list[Draft] = []
    for at, phrase in enumerate(phrases):
        if isinstance(phrase, NounPhrase):
            drafts += (
                _titled(phrase, scene)
                + _owned(phrase, scene)
                + _called(phrases, at, scene)
                + _apposed(phrases, at, scene)
            )
            drafts += _inside(phrases, at, scene)
    return drafts


def _titled(phrase: NounPhrase, scene: Scene) -> list[Draft]:
    """ "my sister Ana" is called Ana; "the CTO Bob" has that role."""
    if phrase.name is None or len(phrase.core) < 2 or phrase.core[-1] is not phrase.name:
        return []
    title = [token for token in phrase.core[:-1] if token.kind in ("noun", "adj")]
    if not title or title[-1].lower not in words.PERSON_HEADS:
        return []
    who = Mention(name=phrase.name.text, type="Person")
    if phrase.possessor is not None and title[-1].lower in words.FAMILY:
        plain = NounPhrase(
            [token for token in phrase.tokens if token is not phrase.name],
            possessor=phrase.possessor,
            head=title[-1].lower,
        )
        attribute = attribute_in(plain, [], scene)
        return [Draft(attribute.owner, attribute.relation, who, attribute.attribute)] if attribute is not None else []
    if phrase.possessor is None and title[-1].lower not in words.FAMILY:
        text = " ".join(token.lower for token in title)
        inner = [token for token in phrase.core[:-1] if token.kind == "name"]
        of = [Draft(who, "OF", Mention(name=token.text, type=token.name_type), "of", HAPPENED, 0.5) for token in inner]
        return [*of, Draft(who, "ROLE", Value(type=ValueType.TEXT, text=text), "is a", HAPPENED, 0.5)]
    return []


def _called(phrases: list[Phrase], at: int, scene: Scene) -> list[Draft]:
    """ "I have a daughter called Thandi", "we adopted a dog named Rex"."""
    kin, called, name = phrases[at : at + 3] if at + 2 < len(phrases) else (None, None, None)
    if not (isinstance(kin, NounPhrase) and isinstance(called, VerbGroup) and isinstance(name, NounPhrase)):
        return []
    if name.name is None or kin.head not in words.FAMILY or called.lemma not in ("call", "name"):
        return []
    verb = next((n for n in range(at - 1, 0, -1) if isinstance(phrases[n], VerbGroup)), 0)
    have, who = phrases[verb], phrases[verb - 1]
    if not verb or not isinstance(have, VerbGroup) or not isinstance(who, NounPhrase) or have.is_negated or have.modal:
        return []
    owner = scene.mention(who)
    if owner is None or have.lemma not in ("have", "get", "adopt", "own", "raise"):
        return []
    kind = "" if kin.head in words.PETS else "Person"
    return [Draft(owner, kin.head.upper(), Mention(name=name.name.text, type=kind), kin.head)]


def _apposed(phrases: list[Phrase], at: int, scene: Scene) -> list[Draft]:
    """ "Ana Berg, a Danish nurse," and "International Hockey Federation (IHF)"."""
    first, second = phrases[at], phrases[at + 1] if at + 1 < len(phrases) else None
    third = phrases[at + 2] if at + 2 < len(phrases) else None
    if not isinstance(first, NounPhrase) or first.name is None or first.value is not None:
        return []
    who = scene.mention(first)
    if at == 0 and isinstance(second, NounPhrase) and len(phrases) == 2 and second.name is not None and who is not None:
        initials = "".join(word[0] for word in who.name.split() if word[0].isupper())
        is_short = second.name.text == initials and len(initials) > 1
        return (
            [Draft(who, "ALSO_KNOWN_AS", Mention(name=second.name.text, type=who.type), "also known as")]
            if is_short
            else []
        )
    if not (isinstance(second, Token) and second.text == "," and isinstance(third, NounPhrase)) or who is None:
        return []
    if (
        third.det not in ("a", "an", "the")
        or third.name is not None
        or (third.value is not None and len(third.core) == 1)
    ):
        return []
    after = phrases[at + 3] if at + 3 < len(phrases) else None
    if not isinstance(after, Token) or after.kind == "conj" or not third.words():
        return []
    drafts = [Draft(who, "IS_A", Value(type=ValueType.TEXT, text=third.words().lower()), "is a", HAPPENED, 0.5)]
    inner = [token for token in third.core[:-1] if token.kind == "name"]
    drafts += [Draft(who, "OF", Mention(name=token.text, type=token.name_type), "of", HAPPENED, 0.5) for token in inner]
    if after.kind == "prep" and at + 4 < len(phrases):
        other = phrases[at + 4]
        if isinstance(other, NounPhrase) and other.name is not None and (what := scene.mention(other)) is not None:
            drafts.append(
                Draft(
                    who,
                    relation_name(f"{third.head} {after.lower}"),
                    what,
                    f"{third.head} {after.lower}",
                    HAPPENED,
                    0.5,
                )
            )
    return drafts


def by_label(phrases: list[Phrase], scene: Scene) -> list[Draft]:
    """ "Owner of the ledger module: Elif Kaya", "Status: blocked": a line that names an attribute and its value."""
    colon = next((at for at, phrase in enumerate(phrases) if isinstance(phrase, Token) and phrase.text == ":"), 0)
    # What is no word (a full stop, an emoji) says nothing here.
    rest = [
        phrase for phrase in phrases[colon + 1 :] if not (isinstance(phrase, Token) and not phrase.text[0].isalnum())
    ]
    head = phrases[0] if colon else None
    if not isinstance(head, NounPhrase):
        return []
    if colon == 1 and (state := _state_of(head, rest, scene)) is not None:
        return [state]
    if len(rest) != 1:
        return []
    about = _about(phrases[1:colon])
    attribute = attribute_in(head, about, scene) if about is not None else None
    what = _labelled(rest[0], scene)
    if attribute is None or what is None:
        return []
    return [Draft(attribute.owner, attribute.relation, what, attribute.attribute)]


def _state_of(head: NounPhrase, rest: list[Phrase], scene: Scene) -> Draft | None:
    """ "Oak table: in progress", "Flaky tests: 23": a thing and how it stands; "Ana: done" is Ana speaking."""
    who = scene.mention(head)
    is_label = head.head in words.LABELS or head.head in words.ATTRIBUTES or head.name is not None or head.pronoun
    if is_label or who is None or not rest:
        return None
    last = rest[-1]
    said = rest[0].lower if len(rest) == 2 and isinstance(rest[0], Token) else ""
    if said in ("in", "on", "under") and isinstance(last, NounPhrase) and last.words().lower() in words.STATUS_PHRASES:
        return Draft(who, "STATUS", Value(type=ValueType.STATUS, text=f"{said} {last.words().lower()}"), "status")
    times = [p for p in rest if isinstance(p, NounPhrase) and p.value is not None and p.value.type in _TIMED]
    is_timed = bool(times) and all(p in times or isinstance(p, Token) for p in rest[:3])
    if is_timed and times:
        return Draft(who, "SCHEDULED_FOR", scene.value(times[-1]), "schedule")
    version = numbered(who, last, HOLDS) if isinstance(last, NounPhrase) and len(rest) == 1 else None
    if version is not None:
        return version
    value = _labelled(last, scene) if len(rest) == 1 else None
    if not isinstance(value, Value) or value.type not in (ValueType.STATUS, ValueType.COUNT):
        return None
    is_count = value.type is ValueType.COUNT
    return Draft(who, "COUNT" if is_count else "STATUS", value, "=count" if is_count else "status")


def _about(phrases: list[Phrase]) -> list[Arg] | None:
    """Nothing, or "of the ledger module"; None if it is anything else."""
    if not phrases:
        return []
    if len(phrases) == 2 and isinstance(phrases[0], Token) and isinstance(phrases[1], NounPhrase):
        return [Arg(phrases[0].lower, [phrases[1]])]
    return None


def _labelled(phrase: Phrase, scene: Scene) -> Mention | Value | None:
    if isinstance(phrase, NounPhrase):
        return scene.value(phrase) or scene.mention(phrase)
    word = phrase.word if isinstance(phrase, VerbGroup) else phrase.lower
    return Value(type=ValueType.STATUS, text=word) if word in words.STATUSES else None


def _owned(phrase: NounPhrase, scene: Scene) -> list[Draft]:
    """ "Ana's Tesla", "Horace McCoy's novel Fools": the one belongs to the other, however."""
    if phrase.possessor is None or phrase.possessor.name is None or phrase.name is None:
        return []
    if any(token.lower in words.FAMILY for token in phrase.core):
        return []
    owner, thing = scene.mention(phrase.possessor), scene.mention(phrase)
    if owner is None or thing is None or owner.name == thing.name:
        return []
    return [Draft(owner, "HAS", thing, "has", HAPPENED, 0.5)]


def _inside(phrases: list[Phrase], at: int, scene: Scene) -> list[Draft]:
    """ "the Olympics in Turin", "Mediaș, Transylvania, Romania": each lies in those that follow."""
    first = phrases[at]
    assert isinstance(first, NounPhrase)
    if first.name is None or first.value is not None:
        return []
    drafts: list[Draft] = []
    inner = scene.mention(first)
    chain = _chain(phrases, at)
    for prep, thing in chain:
        outer = scene.mention(thing)
        if inner is None or outer is None or inner.name == outer.name:
            continue
        if prep == "," and (outer.type not in ("Location", "") or inner.type in ("Person", "Technology")):
            continue
        relation = "LOCATED_IN" if prep in (",", "in", "within", "at", "near") else "OF"
        outer = typed(outer, "Location") if prep == "," else outer
        drafts.append(Draft(inner, relation, outer, "part of", HAPPENED, 0.5))
    return drafts


def _chain(phrases: list[Phrase], at: int) -> list[tuple[str, NounPhrase]]:
    """Names that follow as "in X", "of X" or ", X" where no list of equals goes on."""
    found: list[tuple[str, NounPhrase]] = []
    while at + 2 < len(phrases) + 0 and isinstance(phrases[at + 1], Token):
        link, thing = phrases[at + 1], phrases[at + 2]
        assert isinstance(link, Token)
        if (
            not isinstance(thing, NounPhrase)
            or thing.name is None
            or thing.value is not None
            or thing.possessor is not None
        ):
            break
        if link.text == ",":
            if not _is_place(thing) or _is_list(phrases, at + 2):
                break
            found.append((",", thing))
        elif link.lower in _INSIDE and not found:
            found.append((link.lower, thing))
        else:
            break
        at += 2
    return found


def _is_place(thing: NounPhrase) -> bool:
    return thing.name is not None and thing.name.name_type == "Location" and len(thing.core) == 1


def _is_list(phrases: list[Phrase], at: int) -> bool:
    """Whether "A, B and C" goes on here."""
    while at + 2 < len(phrases) and isinstance(phrases[at + 1], Token) and phrases[at + 1].text == ",":  # type: ignore[union-attr]
        following = phrases[at + 2]
        if isinstance(following, Token):
            return following.kind == "conj"
        at += 2
    last = phrases[at + 1] if at + 1 < len(phrases) else None
    return isinstance(last, Token) and last.kind == "conj"


def by_company(scene: Scene, drafts: list[Draft]) -> list[Draft]:
    """What a sentence of prose is about has to do with every name in it, even where no rule can say what.

    Such a link says little, ends nothing and has the lowest confidence; it joins what several texts tell of one thing.
    """
    subject = scene.subject_now
    # Only names proper: "the deadline for the Lowther bridge" has nothing to do with Lowther.
    if subject is None or all(subject.name != name.name for _, name in (*scene.names, *((0, n) for n in scene.before))):
        return []
    tied = {
        draft.object.name
        for draft in drafts
        if draft.subject.name == subject.name and isinstance(draft.object, Mention)
    }
    tied |= {
        draft.subject.name
        for draft in drafts
        if isinstance(draft.object, Mention) and draft.object.name == subject.name
    }
    names = {name.name: name for _, name in scene.names if name.name not in tied | {subject.name}}
    return [Draft(subject, "RELATED_TO", name, "related to", HAPPENED, 0.3) for name in names.values()]
