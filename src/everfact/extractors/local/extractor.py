"""The local extractor: text in, mentions, statements and commands out, by rules alone."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial

from everfact.dates import When
from everfact.extractors.local.commands import find_command, find_note
from everfact.extractors.local.dating import Dates, date_of, dates_in
from everfact.extractors.local.documents import find_document
from everfact.extractors.local.draft import HOLDS, Draft, manner_of
from everfact.extractors.local.found import Found, replacement
from everfact.extractors.local.reading.clauses import Clause, clauses_of
from everfact.extractors.local.reading.doubt import is_doubtful
from everfact.extractors.local.reading.gazetteer import Gazetteer
from everfact.extractors.local.reading.names import known_names, merge_names
from everfact.extractors.local.reading.phrases import asides, phrases_of
from everfact.extractors.local.reading.sentences import LONGEST, Sentence, speakers_in, split
from everfact.extractors.local.reading.tokens import Token, tokenize
from everfact.extractors.local.reading.unsaid import with_subject
from everfact.extractors.local.rules.attributes import note_topic
from everfact.extractors.local.rules.careers import by_appointment, by_career, by_contract, by_handover, by_last_day
from everfact.extractors.local.rules.changes import by_change, by_release, by_replacement, by_sale
from everfact.extractors.local.rules.choices import by_choice, by_decision, by_preference, by_requirement
from everfact.extractors.local.rules.copula import by_copula, by_duty, by_lack, by_result
from everfact.extractors.local.rules.couples import by_couple, by_household
from everfact.extractors.local.rules.endings import (
    by_leaving_home,
    by_parting,
    by_removal,
    denied,
    kin_of,
    note_gone,
    with_shift,
)
from everfact.extractors.local.rules.events import by_verb
from everfact.extractors.local.rules.frames import by_frame
from everfact.extractors.local.rules.habits import by_count, by_date, by_habit
from everfact.extractors.local.rules.nominal import by_company, by_label, by_names
from everfact.extractors.local.rules.places import by_seat
from everfact.extractors.local.scene import Scene
from everfact.extractors.local.trust import with_trust
from everfact.models import (
    CommandKind,
    Entity,
    Episode,
    Extraction,
    Judgement,
    Mention,
    Pair,
    Source,
    Statement,
    Value,
    ValueType,
    Verdict,
)
from everfact.relations import is_one_at_a_time
from everfact.values import find_values
from everfact.words import word_set

logger = logging.getLogger(__name__)

NAME = "local/1"
_SHORT = 500
_SLIPS = (ArithmeticError, AssertionError, LookupError, ValueError)
_RULES = (
    by_preference,
    by_choice,
    by_appointment,
    by_career,
    by_contract,
    by_handover,
    by_sale,
    by_release,
    by_change,
    by_replacement,
    by_household,
    by_count,
    by_removal,
    by_duty,
    by_lack,
    by_seat,
    by_result,
    by_copula,
    by_date,
    by_habit,
    by_frame,
    by_parting,
    by_leaving_home,
)


_BESIDE = re.compile(
    r"\b(?:also|as well|too(?=\W*(?:$|and\b|but\b|[,.;:!)]))|in addition|besides|on the side|part[- ]time|second job|"
    r"moonlights?|together with|jointly|alongside|along with)\b",
    re.I,
)
_DEFINITE = word_set("i we my our the he she his her its every all no")


@dataclass(frozen=True, slots=True)
class Told:
    """How a text was told: when, by whom, to whom, and the names that may occur in it."""

    reference: datetime
    speaker: str = ""
    others: tuple[str, ...] = ()
    known: Gazetteer = field(default_factory=lambda: Gazetteer(()))
    names: Mapping[str, str] = field(default_factory=dict)
    is_message: bool = False


class LocalExtractor:
    """Finds names, statements and commands without a model; it never judges."""

    name = NAME

    async def extract(self, episode: Episode, known: Sequence[Entity], listeners: Sequence[str] = ()) -> Extraction:
        """What the episode says; "you" is the listener where there is one."""
        read = partial(
            extract_text,
            episode.content,
            reference=episode.reference_time,
            speaker=episode.speaker,
            others=listeners,
            known=known,
            source=episode.source,
        )
        # A short text is read before another thread would have begun; a long one must not hold up everybody else.
        return read() if len(episode.content) <= _SHORT else await asyncio.to_thread(read)

    async def judge(self, pairs: Sequence[Pair]) -> Judgement:
        """Rules know no more than the fold does: both stand."""
        return Judgement(verdicts=(Verdict.BOTH_STAND,) * len(pairs))


def extract_text(
    content: str,
    *,
    reference: datetime,
    speaker: str = "",
    others: Sequence[str] = (),
    known: Iterable[Entity] = (),
    source: Source = Source.TEXT,
) -> Extraction:
    """Everything found in a text; pure, and linear in its length."""
    known = list(known)
    names = {entity.name.lower(): entity.name for entity in known}
    told = Told(reference, speaker, tuple(others), known_names(known), names, source is Source.MESSAGE)
    speakers = (
        frozenset(name.casefold() for name in (speaker, *others, "user", "assistant") if name)
        if told.is_message
        else frozenset()
    )
    if not speaker and source is not Source.JSON:
        speakers |= speakers_in(content)
    found = Found()
    scene = _scene(told, speaker)
    for sentence in split(content, speakers=speakers):
        if sentence.speaker and sentence.speaker != scene.speaker:
            scene = _scene(told, sentence.speaker)
        scene.turn()
        try:
            _read(sentence, told, scene, found)
        except _SLIPS:
            # A sentence that a rule trips over costs only itself, and the extraction says so.
            logger.warning("a sentence of %d characters could not be read", len(sentence.text), exc_info=True)
            found.is_degraded = True
    found.end(scene.gone)
    extraction = Extraction(
        extractor=NAME,
        statements=(*found.statements.values(), *find_document(content)),
        mentions=tuple(found.mentions.values()),
        commands=tuple(found.commands),
        degraded=found.is_degraded,
        reason="a sentence could not be read" if found.is_degraded else "",
    )
    return with_trust(extraction, content)


def _scene(told: Told, speaker: str) -> Scene:
    listeners = [name for name in (told.speaker, *told.others) if name and name != speaker]
    return Scene(speaker=speaker, listener=listeners[0] if len(listeners) == 1 else "", known=told.names)


def _read(sentence: Sentence, told: Told, scene: Scene, found: Found) -> None:
    text = sentence.text[:LONGEST]
    plain = tokenize(text)
    spoken = {token.lower for token in plain}
    tokens = merge_names(plain, told.known, find_values(text, spoken))
    names = [token for token in tokens if token.kind == "name"]
    _note_names(names, scene, found)
    if _corrects(sentence, tokens, found):
        return
    command = find_command(text, sentence.start, spoken)
    if command is not None:
        found.commands.append(command)
    if (
        len(sentence.text) > LONGEST
        or sentence.is_question
        or (command is not None and command.kind is not CommandKind.UPDATE)
    ):
        return
    if not _is_worth_reading(tokens) or is_doubtful(text, spoken):
        return
    note = find_note(text)
    if note is not None:
        key, value = note
        draft = Draft(Mention(name=key), "IS", Value(type=ValueType.TEXT, text=value), "=value")
        found.keep(_statement(draft, sentence, date_of(draft.manner, [], told.reference)))
    else:
        _state(sentence, text, _with_speaker(tokens, told), told, scene, found)


def _corrects(sentence: Sentence, tokens: list[Token], found: Found) -> bool:
    """Whether the sentence only puts something else in the place of what was just said, without a verb of its own."""
    start, end = replacement(sentence.text) if found.statements else (0, 0)
    part = [token for token in tokens if start <= token.start < end]
    new = next((token for token in part if token.kind in ("name", "value")), None)
    if new is None:
        plain = [token for token in tokens if token.text not in ".!,"]
        is_denial = len(plain) == 2 and plain[0].lower == "not" and plain[1].kind in ("name", "value")
        if is_denial:
            thing = plain[1].value or Mention(name=plain[1].text, type=plain[1].name_type)
            found.deny(thing, sentence.text, (sentence.start, sentence.start + len(sentence.text)))
        return is_denial
    thing = new.value if new.value is not None else Mention(name=new.text, type=new.name_type)
    said = found.last_like(thing)
    if said is None:
        return False
    found.correct(said, thing, sentence.text, (sentence.start, sentence.start + len(sentence.text)))
    return True


def _is_worth_reading(tokens: list[Token]) -> bool:
    """Whether anything is named, counted or definite: much of talk ("that is really cool") says nothing of the kind."""
    return any(token.kind in ("name", "value") or token.lower in _DEFINITE or token.text == ":" for token in tokens)


def _with_speaker(tokens: list[Token], told: Told) -> list[Token]:
    """ "Not at Globex anymore", "back in Oslo": talk without subject and verb is about the speaker."""
    first, second = (tokens[0], tokens[1]) if len(tokens) > 2 else (None, None)
    is_cut = first is not None and second is not None and first.lower in ("not", "no", "back", "now", "still")
    at = 2 if is_cut and second is not None and second.lower == "longer" else 1
    if not told.speaker or not is_cut or first is None or tokens[at].lower not in ("at", "in", "on", "with"):
        return tokens
    return [
        Token("I", first.start, first.start, "word", "i"),
        Token("'m", first.start, first.start, "word", "'m"),
        *tokens,
    ]


def _note_names(names: list[Token], scene: Scene, found: Found) -> None:
    for token in names:
        mention = Mention(name=token.text, type=token.name_type)
        found.mentions.setdefault(token.lower, mention)
        scene.see(mention, token.end)


def _state(sentence: Sentence, text: str, tokens: list[Token], told: Told, scene: Scene, found: Found) -> None:
    drafts: list[tuple[Draft, Clause | None]] = []
    is_plain = not told.speaker
    for part in asides(tokens):
        phrases = phrases_of(part)
        drafts += [(draft, None) for rule in (by_label, by_names, by_last_day) for draft in rule(phrases, scene)]
        for read in clauses_of(phrases):
            clause = with_subject(read, phrases, is_talk=bool(scene.speaker))
            if clause.subjects:
                scene.begin(clause.subjects[0], clause.about)
            drafts += [(draft, clause) for draft in _said(clause, scene, text)]
            note_topic(clause, scene)
            note_gone(clause, scene)
            is_plain = is_plain and (clause.verb.is_infinitive or manner_of(clause) is not None)
    if is_plain:
        drafts += [(draft, None) for draft in by_company(scene, [draft for draft, _ in drafts])]
    told_here = [draft for draft, _ in drafts]
    drafts += [(kin, origin) for draft, origin in drafts for kin in kin_of(draft, told_here)]
    if not drafts:
        return
    values = {draft.object.text for draft, _ in drafts if isinstance(draft.object, Value)}
    whens = dates_in(text, told.reference)
    for draft, origin in drafts:
        own = [when for when in whens if origin is None or _is_own(when, origin, values, text)]
        _learn(draft, scene)
        dates = date_of(draft.manner, own, told.reference, is_single=is_one_at_a_time(draft.attribute))
        found.keep(_statement(draft, sentence, dates))


def _said(clause: Clause, scene: Scene, text: str) -> list[Draft]:
    wanted = by_decision(clause, scene, text) + by_requirement(clause, scene, text)
    drafts = wanted + (_ruled(clause, scene) or denied(clause, lambda over: _ruled(over, scene)))
    told = {draft.subject.name for draft in drafts}
    told |= {draft.object.name for draft in drafts if isinstance(draft.object, Mention)}
    drafts += by_verb(clause, scene, told)
    if _BESIDE.search(text) is not None:
        drafts = [_beside(draft) for draft in drafts]
    return with_shift(clause, drafts)


def _ruled(clause: Clause, scene: Scene) -> list[Draft]:
    """What the first rule that knows the clause says of it, for each subject."""
    drafts = by_couple(clause, scene)
    for subject in clause.subjects if not drafts else ():
        one = replace(clause, subjects=[subject])
        drafts += next((more for rule in _RULES if (more := rule(one, scene))), [])
    return drafts


def _beside(draft: Draft) -> Draft:
    """What is *also* so ends nothing: "also works at", "a second job". Nobody lives in two places in one breath."""
    is_single = is_one_at_a_time(draft.attribute) and draft.attribute not in ("home", "marital status")
    if draft.manner is not HOLDS or draft.object is None or not is_single:
        return draft
    return replace(draft, attribute=f"also {draft.attribute.removeprefix('=')}")


def _learn(draft: Draft, scene: Scene) -> None:
    scene.learn(draft.subject)
    if draft.subject.name == draft.subject.name.lower() or "'s " in draft.subject.name:
        scene.is_called(draft.subject, draft.subject.name.split()[-1].lower())
    if isinstance(draft.object, Mention):
        scene.learn(draft.object)
    elif draft.relation == "IS_A" and draft.object is not None and draft.subject.name != draft.subject.name.lower():
        scene.is_called(draft.subject, draft.object.text.split()[-1].lower())


def _statement(draft: Draft, sentence: Sentence, dates: Dates) -> Statement:
    return Statement(
        subject=draft.subject,
        relation=draft.relation,
        object=draft.object,
        sentence=sentence.text,
        attribute=draft.attribute,
        kind=dates.kind,
        phase=dates.phase,
        span=(sentence.start, sentence.start + len(sentence.text)),
        valid_at=dates.valid_at,
        invalid_at=dates.invalid_at,
        granularity=dates.granularity,
        confidence=draft.confidence,
    )


def _is_own(when: When, clause: Clause, values: set[str], text: str) -> bool:
    """Whether a date says when the clause holds, not what its value is; one before a colon goes for what follows."""
    start, end = when.span
    if text[end : end + 2] in ("'s", "\u2019s"):
        return False  # "yesterday's note"
    if (end <= clause.start or start >= clause.end) and ":" not in text[end : clause.start]:
        return False
    things = [thing for arg in clause.args for thing in arg.things if thing.value is not None]
    inner = [thing for thing in (*clause.subjects, *things) if len(thing.core) > 1 and thing.core[-1].value is None]
    inner += [thing for arg in clause.about for thing in arg.things]
    if any(thing.start <= start < thing.end for thing in inner):
        return False  # "the Q1 budget": which one, not when
    return not any(thing.words() in values and thing.start < end and start < thing.end for thing in things)
