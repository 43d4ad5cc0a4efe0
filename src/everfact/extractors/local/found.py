"""What has been found in a text so far: what a later sentence changes or corrects does not stand beside it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import islice

from everfact.extractors.local.draft import UNSURE
from everfact.models import Command, FactKind, Mention, Phase, Statement, Value
from everfact.relations import is_one_at_a_time

_NEAR = 20
_CHANGE = re.compile(
    r"\b(?:now|these days|no longer|nowadays|any ?more|from now on|as of|instead|since then|so now|by now|"
    r"(?:has|have|had|was|were|got|been) (?:been )?(?:\w+ed|cut|set|put)\b|new)\b",
    re.IGNORECASE,
)
_CORRECTION = re.compile(
    r"\b(?:actually|sorry|correction|scratch that|strike that|i (?:meant?|misspoke|misread|mistyped)|make (?:that|it)|"
    r"my (?:mistake|bad)|oops|typo|no wait|wait,? no|was wrong|had that wrong|not quite right)\b"
    r"|^(?:no|wait|er|uh|hm+)[,:\u2014-]",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^\W*(?:(?:oh|ah|um|er|no|wait|sorry|oops|hang on|hold on|actually|correction|scratch that|strike that|typo|"
    r"rather|my (?:mistake|bad)|i (?:misspoke|misread[^,.;:]*|mistyped|was wrong|had that wrong)|make (?:that|it)|"
    r"(?:i )?meant?(?: to (?:say|write|type))?|it(?:'s| is)|that(?:'s| should be| is)|should be|not [^,.;:]{1,30})"
    r"(?:[\s,.;:!\u2014-]+|$))+",
    re.IGNORECASE,
)


def replacement(text: str) -> tuple[int, int]:
    """Where it says what was meant: "Scratch that: *Tuesday*", "Sorry, I meant *Lena*"; else (0, 0)."""
    lead = _LEAD.match(text)
    if lead is None or _CORRECTION.search(lead[0]) is None:
        return 0, 0
    rest = re.split(r",? (?:not|instead of|rather than)\b", text[lead.end() :])[0]
    return (lead.end(), lead.end() + len(rest)) if 0 < len(rest.split()) <= 4 else (0, 0)


@dataclass(slots=True)
class Found:
    """Statements, mentions and commands, each once."""

    statements: dict[tuple[object, ...], Statement] = field(default_factory=dict)
    mentions: dict[str, Mention] = field(default_factory=dict)
    commands: list[Command] = field(default_factory=list)
    is_degraded: bool = False
    _told: dict[tuple[str, str], list[Statement]] = field(default_factory=dict)
    """States by subject and attribute."""

    def keep(self, statement: Statement) -> None:
        """One more statement; what it takes back or ends in the same text is taken back or ended."""
        if _key(statement) in self.statements:
            return
        self._revise(statement)
        thing = statement.object
        for mention in (statement.subject, thing):
            if isinstance(mention, Mention) and mention.type not in ("Decision", "Requirement"):
                known = self.mentions.get(mention.name.lower())
                if known is None:
                    self.mentions[mention.name.lower()] = mention
                elif not known.type and mention.type:
                    self.mentions[mention.name.lower()] = replace(known, type=mention.type)
        self.statements[_key(statement)] = statement

    def end(self, gone: list[Mention]) -> None:
        """What was ditched in this text is used no more by whatever it says to use something else."""
        for said in list(self.statements.values()):
            is_use = said.attribute in ("uses", "runs on", "written in") and said.kind is FactKind.STATE
            for thing in gone[-_NEAR:] if is_use and said.phase is not Phase.ENDS and said.object not in gone else ():
                ended = replace(said, object=thing, phase=Phase.ENDS, valid_at=None, confidence=UNSURE)
                self.keep(replace(ended, invalid_at=said.valid_at))

    def last_like(self, thing: Mention | Value) -> Statement | None:
        """The last state said whose object can be taken for a slip of `thing`: a value of its type, or a name."""
        for said in islice(reversed(self.statements.values()), _NEAR):
            is_state = said.kind is not FactKind.EVENT and said.phase is not Phase.ENDS
            if is_state and _is_like(said.object, thing):
                return said
        return None

    def deny(self, thing: Mention | Value, sentence: str, span: tuple[int, int]) -> None:
        """ "Not Delft.": what was just said of something else is not so of this."""
        said = self.last_like(thing)
        if said is not None and said.object != thing:
            ended = replace(said, object=thing, sentence=sentence, span=span, phase=Phase.ENDS, confidence=UNSURE)
            self.keep(replace(ended, valid_at=None, invalid_at=said.valid_at))

    def correct(self, said: Statement, thing: Mention | Value, sentence: str, span: tuple[int, int]) -> None:
        """It was `thing`, not what had been said."""
        del self.statements[_key(said)]
        self.keep(replace(said, object=thing, sentence=sentence, span=span))

    def _revise(self, new: Statement) -> None:
        """Of what earlier sentences say of the same thing and time: "now" ends it, "sorry, I meant" takes it back."""
        is_end = new.phase is Phase.ENDS
        if new.kind is not FactKind.STATE or not (is_end or is_one_at_a_time(new.attribute)):
            return
        told = self._told.setdefault((new.subject.name.lower(), new.attribute), [])
        rivals = [old for old in told if old.sentence != new.sentence]
        if not is_end:
            told.append(new)
        rivals = [old for old in rivals if new.object is None or (old.object == new.object) is is_end]
        is_correction = bool(rivals) and _CORRECTION.search(new.sentence) is not None
        is_change = is_end or new.phase is Phase.BEGINS or (bool(rivals) and _CHANGE.search(new.sentence) is not None)
        at = new.invalid_at if is_end else new.valid_at
        for old in rivals if is_correction or is_change else ():
            is_now = old.valid_at is not None and at is not None and old.valid_at >= at
            if is_correction or is_now:
                told.remove(old)
                self.statements.pop(_key(old), None)
            if is_now and not is_correction:
                ended = replace(old, phase=Phase.ENDS, valid_at=None, invalid_at=at)
                self.statements.setdefault(_key(ended), ended)


def _is_like(old: Mention | Value | None, new: Mention | Value) -> bool:
    if isinstance(old, Mention) and isinstance(new, Mention):
        return old.type == new.type or not old.type or not new.type
    return isinstance(old, Value) and isinstance(new, Value) and old.type is new.type


def _key(statement: Statement) -> tuple[object, ...]:
    return (
        statement.subject.name,
        statement.relation,
        statement.object,
        statement.attribute,
        statement.phase,
        statement.kind,
        statement.valid_at,
    )
