"""Relation names, and the attribute each one speaks of.

Facts about one subject and one attribute are folded together (`timeline`). Some attributes have one value at a time:
a later state ends the earlier one. An attribute that begins with `=` is such a one by construction
(`=budget`, `=preferred editor`); all that are not listed may have many values side by side.
"""

from __future__ import annotations

import re

TITLED = "TITLED"
"""A document's own episode says under which name and title it stands."""
REPLACED_BY = "REPLACED_BY"
"""A document says which other one took its place, or whose place it took."""

# attribute → relation names (SCREAMING_SNAKE, as they stand on the wire) that speak of it
_ONE_AT_A_TIME: dict[str, tuple[str, ...]] = {
    "age": ("AGE", "IS_AGED", "HAS_AGE"),
    "assignee": ("ASSIGNED_TO", "ASSIGNEE"),
    "birthday": ("BIRTHDAY", "BORN_ON", "BIRTH_DATE"),
    "deadline": ("DEADLINE", "DUE", "DUE_ON", "DUE_DATE", "HAS_DEADLINE"),
    "default": ("DEFAULT", "DEFAULTS_TO", "HAS_DEFAULT"),
    "email": ("EMAIL", "EMAIL_ADDRESS", "HAS_EMAIL"),
    "employer": ("WORKS_AT", "WORKS_FOR", "EMPLOYED_BY", "EMPLOYED_AT", "EMPLOYER", "JOINED", "LEFT"),
    "home": ("LIVES_IN", "LIVES_AT", "RESIDES_IN", "RESIDENCE", "HOME", "MOVED_TO", "BASED_IN"),
    "location": ("LOCATED_IN", "LOCATED_AT", "LOCATION", "IS_IN", "HOSTED_ON", "HOSTED_IN", "RUNS_ON", "STORED_IN"),
    "manager": ("REPORTS_TO", "MANAGED_BY", "MANAGER", "HAS_MANAGER"),
    "marital status": ("MARITAL_STATUS",),
    "name": ("NAME", "IS_CALLED", "NAMED", "CALLED"),
    "lead": ("LED_BY", "LEAD"),
    "maintainer": ("MAINTAINED_BY", "MAINTAINER"),
    "owner": ("OWNED_BY", "OWNER", "RESPONSIBLE"),
    "phone": ("PHONE", "PHONE_NUMBER"),
    "price": ("PRICE", "COSTS", "COST"),
    "role": ("ROLE", "HAS_ROLE", "WORKS_AS", "JOB_TITLE", "TITLE", "POSITION"),
    "schedule": ("SCHEDULED_FOR", "SCHEDULED_ON", "TAKES_PLACE_ON", "MEETS_ON", "HAPPENS_ON"),
    "spouse": ("MARRIED_TO", "SPOUSE"),
    "status": ("STATUS", "HAS_STATUS", "STATE", "IS_STATUS"),
    "version": ("VERSION", "HAS_VERSION", "RUNS_VERSION", "PINNED_TO"),
}
_ATTRIBUTE = {relation: attribute for attribute, relations in _ONE_AT_A_TIME.items() for relation in relations}


def relation_name(words: str) -> str:
    """A relation as it stands on the wire: `works at`, `worksAt` and `works-at` are all `WORKS_AT`."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", words)
    return "_".join(re.findall(r"\w+", spaced.replace("_", " "))).upper()


def attribute_of(relation: str) -> str:
    """The attribute that a relation speaks of; a relation that is not listed speaks of its own."""
    name = relation_name(relation)
    return _ATTRIBUTE.get(name, name.replace("_", " ").lower())


def is_one_at_a_time(attribute: str) -> bool:
    """Whether a subject has one value of the attribute at a time."""
    return attribute in _ONE_AT_A_TIME or attribute.startswith("=")
