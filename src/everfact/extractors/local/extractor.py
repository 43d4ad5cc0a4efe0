"""The local extractor: text in, mentions, statements and commands out, by rules alone."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from everfact.dates import When
from everfact.extractors.local.commands import find_command, find_note
from everfact.extractors.local.dating import Dates, date_of, dates_in
from everfact.extractors.local.draft import HOLDS, Draft, manner_of
from everfact.extractors.local.reading.clauses import Clause, clauses_of, is_doubtful
from everfact.extractors.local.reading.gazetteer import Gazetteer
from everfact.extractors.local.reading.names import known_names, merge_names
from everfact.extractors.local.reading.phrases import asides, phrases_of
from everfact.extractors.local.reading.sentences import LONGEST, Sentence, speakers_in, split
from everfact.extractors.local.reading.tokens import Token, tokenize
from everfact.extractors.local.reading.unsaid import with_subject
from everfact.extractors.local.reading.words import word_set
from everfact.extractors.local.rules.careers import by_appointment, by_career, by_handover
from everfact.extractors.local.rules.changes import by_change, by_release, by_replacement, by_sale
from everfact.extractors.local.rules.choices import by_choice, by_decision, by_preference, by_requirement
from everfact.extractors.local.rules.copula import by_copula, by_lack, by_result
from everfact.extractors.local.rules.couples import by_couple
from everfact.extractors.local.rules.events import by_verb
from everfact.extractors.local.rules.frames import by_count, by_frame, by_habit
from everfact.extractors.local.rules.nominal import by_company, by_label, by_names
from everfact.extractors.local.scene import Scene
from everfact.extractors.local.trust import with_trust
from everfact.models import (
    Command,
    CommandKind,
    Entity,
    Episode,
    Extraction,
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

logger = logging.getLogger(__name__)

NAME = "local/1"
_SLIPS = (ArithmeticError, AssertionError, LookupError, ValueError)
_RULES = (
    by_preference,
    by_choice,
    by_appointment,
    by_career,
    by_handover,
    by_sale,
    by_release,
    by_change,
    by_replacement,
    by_count,
    by_lack,
    by_result,
    by_copula,
    by_habit,
    by_frame,
)


_BESIDE = re.compile(
    r"\b(?:also|as well|too|in addition|besides|on the side|part[- ]time|second job|moonlights?|"
    r"together with|jointly|alongside|along with)\b",
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
    is_message: bool = False


@dataclass(slots=True)
class Found:
    """What has been found so far."""

    statements: dict[tuple[object, ...], Statement] = field(default_factory=dict)
    mentions: dict[str, Mention] = field(default_factory=dict)
    commands: list[Command] = field(default_factory=list)
    is_degraded: bool = False


class LocalExtractor:
    """Finds names, statements and commands without a model; it never judges."""

    name = NAME

    async def extract(
        self,
        episode: Episode,
        known: Sequence[Entity],
        listeners: Sequence[str] = (),  # noqa: ARG002 # a port's
    ) -> Extraction:
        """What the episode says."""
        return await asyncio.to_thread(
            extract_text,
            episode.content,
            reference=episode.reference_time,
            speaker=episode.speaker,
            known=known,
            source=episode.source,
        )

    async def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """Rules know no more than the fold does: both stand."""
        return [Verdict.BOTH_STAND] * len(pairs)


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
    told = Told(reference, speaker, tuple(others), known_names(known), source is Source.MESSAGE)
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
    extraction = Extraction(
        extractor=NAME,
        statements=tuple(found.statements.values()),
        mentions=tuple(found.mentions.values()),
        commands=tuple(found.commands),
        degraded=found.is_degraded,
    )
    return with_trust(extraction, content)


def _scene(told: Told, speaker: str) -> Scene:
    listeners = [name for name in (told.speaker, *told.others) if name and name != speaker]
    return Scene(speaker=speaker, listener=listeners[0] if len(listeners) == 1 else "")


def _read(sentence: Sentence, told: Told, scene: Scene, found: Found) -> None:
    text = sentence.text[:LONGEST]
    plain = tokenize(text)
    spoken = {token.lower for token in plain}
    command = find_command(text, sentence.start, spoken)
    if command is not None:
        found.commands.append(command)
    tokens = merge_names(plain, told.known, find_values(text, spoken))
    names = [token for token in tokens if token.kind == "name"]
    _note_names(names, scene, found)
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
        _keep(_statement(draft, sentence, date_of(draft.manner, [], told.reference)), found)
    else:
        _state(sentence, text, tokens, told, scene, found)


def _is_worth_reading(tokens: list[Token]) -> bool:
    """Whether anything is named, counted or definite: much of talk ("that is really cool") says nothing of the kind."""
    return any(token.kind in ("name", "value") or token.lower in _DEFINITE or token.text == ":" for token in tokens)


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
        drafts += [(draft, None) for draft in by_label(phrases, scene) + by_names(phrases, scene)]
        for read in clauses_of(phrases):
            clause = with_subject(read, phrases)
            if clause.subjects:
                scene.begin(clause.subjects[0], clause.about)
            drafts += [(draft, clause) for draft in _said(clause, scene, text)]
            is_plain = is_plain and (clause.verb.is_infinitive or manner_of(clause) is not None)
    if is_plain:
        drafts += [(draft, None) for draft in by_company(scene, [draft for draft, _ in drafts])]
    if not drafts:
        return
    values = {draft.object.text for draft, _ in drafts if isinstance(draft.object, Value)}
    whens = dates_in(text, told.reference)
    for draft, origin in drafts:
        own = [when for when in whens if origin is None or _is_own(when, origin, values, text)]
        _learn(draft, scene)
        _keep(_statement(draft, sentence, date_of(draft.manner, own, told.reference)), found)


def _said(clause: Clause, scene: Scene, text: str) -> list[Draft]:
    wanted = by_decision(clause, scene, text) + by_requirement(clause, scene, text)
    drafts = by_couple(clause, scene)
    for subject in clause.subjects if not drafts else ():
        one = replace(clause, subjects=[subject])
        drafts += next((more for rule in _RULES if (more := rule(one, scene))), [])
    drafts = wanted + drafts
    told = {draft.subject.name for draft in drafts}
    told |= {draft.object.name for draft in drafts if isinstance(draft.object, Mention)}
    drafts += by_verb(clause, scene, told)
    return [_beside(draft) for draft in drafts] if _BESIDE.search(text) is not None else drafts


def _beside(draft: Draft) -> Draft:
    """What is *also* so ends nothing: "also works at", "a second job"."""
    if draft.manner is not HOLDS or draft.object is None or not is_one_at_a_time(draft.attribute):
        return draft
    thing = draft.object.name if isinstance(draft.object, Mention) else draft.object.text
    return replace(draft, attribute=f"also {draft.attribute.removeprefix('=')} {thing.lower()}")


def _learn(draft: Draft, scene: Scene) -> None:
    scene.learn(draft.subject)
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
    if (end <= clause.start or start >= clause.end) and ":" not in text[end : clause.start]:
        return False
    things = (thing for arg in clause.args for thing in arg.things if thing.value is not None)
    return not any(thing.words() in values and thing.start < end and start < thing.end for thing in things)


def _keep(statement: Statement, found: Found) -> None:
    thing = statement.object
    for mention in (statement.subject, thing):
        if isinstance(mention, Mention) and mention.type not in ("Decision", "Requirement"):
            known = found.mentions.get(mention.name.lower())
            if known is None:
                found.mentions[mention.name.lower()] = mention
            elif not known.type and mention.type:
                found.mentions[mention.name.lower()] = replace(known, type=mention.type)
    key = (
        statement.subject.name,
        statement.relation,
        thing,
        statement.attribute,
        statement.phase,
        statement.kind,
        statement.valid_at,
    )
    found.statements.setdefault(key, statement)
