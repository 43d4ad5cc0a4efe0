"""What tools take: types that say in the schema what is meant and forgive what models and clients get wrong.

`null` stands for "left out" everywhere, as clients with strict schemas send it. Text is declared as plain `str`: where
anything else would do too, the SDK parses text as JSON if it can.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from everfact.errors import UsageError
from everfact.models import Mention, Statement, Value, ValueType


def _or_empty(value: object) -> object:
    return "" if value is None else value


def _listed(value: object) -> object:
    """A list, also where one name stands alone; empty names count as left out."""
    items = [value] if isinstance(value, str) else value
    return [item for item in items if item != ""] if isinstance(items, list) else items or ()


Text = Annotated[str, BeforeValidator(_or_empty)]
"""A text that may be left out."""

Texts = Annotated[
    tuple[str, ...],
    BeforeValidator(_listed),
    WithJsonSchema({"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "string"}]}),
]
"""A list of texts that may be left out; one text alone will do."""

GroupIds = Annotated[Texts, Field(description="Groups to look in; a list or one name. Default: the current group.")]
GroupId = Annotated[Text, Field(description="One group, if group_ids is not given.")]
OneGroup = Annotated[Text, Field(description="The group to write to. Leave out for the current one.")]
Query = Annotated[str, Field(description="What to look for, in plain words.", max_length=10_000)]
EntityTypes = Annotated[Texts, Field(description="Only entities of these types, such as Person or Decision.")]
Center = Annotated[Text, Field(description="uuid of an entity; what is close to it in the graph comes first.")]
Uuid = Annotated[str, Field(description="The uuid, as another tool returned it.")]
ValidAt = Annotated[Text, Field(description="ISO 8601 time: what was true then, in place of now.")]
KnownAt = Annotated[Text, Field(description="ISO 8601 time: what was known then, in place of now.")]
History = Annotated[bool, Field(description="Also facts that have ended.")]
Bound = Annotated[Text, Field(description="ISO 8601 time, inclusive.")]
FactValidAt = Annotated[Text, Field(description="ISO 8601 time from which it is true.")]
FactInvalidAt = Annotated[Text, Field(description="ISO 8601 time at which it stopped being true.")]
SourceKind = Annotated[
    Literal["text", "json", "message"],
    BeforeValidator(lambda value: "text" if value in (None, "") else value),
    Field(description="text, json (episode_body is a JSON document) or message (lines of 'Speaker: words')."),
]


MOST = 1_000
"""More than that no tool answers with."""

Few = Annotated[int, Field(description="At most this many results.", ge=1, le=MOST)]


class GivenFact(BaseModel):
    """A fact the caller knows already."""

    model_config = ConfigDict(extra="forbid")

    subject: Annotated[str, Field(description="Who or what it is about, by full name.")]
    relation: Annotated[str, Field(description="Verb phrase, such as 'works at', 'prefers', 'depends on'.")]
    object: Annotated[str, Field(description="The other entity, or a value.")]
    fact: Annotated[Text, Field(description="The whole as one sentence. Default: made from the parts.")] = ""
    valid_at: FactValidAt = ""
    invalid_at: FactInvalidAt = ""
    subject_type: Annotated[Text, Field(description="Such as Person, Project, Technology.")] = ""
    object_type: Annotated[
        Text, Field(description="Such as Organization; 'value' when the object is a number, date or plain text.")
    ] = ""
    replaces: Annotated[Text, Field(description="uuid of the fact, or the old object, that this one replaces.")] = ""

    def statement(self) -> Statement:
        """The same as the core has it.

        Raises:
            UsageError: a time cannot be read.
        """
        is_value = self.object_type.casefold() == "value"
        return Statement(
            subject=Mention(name=self.subject, type=self.subject_type),
            relation=self.relation,
            object=Value(type=ValueType.TEXT, text=self.object)
            if is_value
            else Mention(name=self.object, type=self.object_type),
            sentence=self.fact or f"{self.subject} {self.relation.replace('_', ' ').lower()} {self.object}",
            valid_at=moment(self.valid_at, "valid_at"),
            invalid_at=moment(self.invalid_at, "invalid_at"),
            replaces=self.replaces,
        )


GivenFacts = Annotated[
    tuple[GivenFact, ...],
    BeforeValidator(lambda value: () if value is None else value),
    Field(description="Facts you know already, as subject, relation, object.", max_length=1000),
]


def moment(text: str, name: str) -> datetime | None:
    """The time that an argument gives: ISO 8601, a date alone is its midnight, no zone is UTC; None if left out.

    Raises:
        UsageError: it is none.
    """
    if not text.strip():
        return None
    try:
        given = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise UsageError(
            f"{name} is no time: {text[:40]!r}", hint="write it like 2026-03-01 or 2026-03-01T09:00:00Z"
        ) from error
    try:
        return given.replace(tzinfo=UTC) if given.tzinfo is None else given.astimezone(UTC)
    except OverflowError as error:
        raise UsageError(f"{name} lies outside the calendar", hint="write it like 2026-03-01T09:00:00Z") from error
