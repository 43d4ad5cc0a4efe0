"""The moments at which clients call: under which names, and in which form they want an answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

CLIENTS = ("claude", "codex", "gemini")


class Moment(StrEnum):
    """What is going on in the session."""

    START = "start"
    PROMPT = "prompt"
    ANSWER = "answer"
    COMPACT = "compact"
    END = "end"


_MOMENTS = {
    "sessionstart": Moment.START,
    "userpromptsubmit": Moment.PROMPT,
    "beforeagent": Moment.PROMPT,
    "stop": Moment.ANSWER,
    "afteragent": Moment.ANSWER,
    "precompact": Moment.COMPACT,
    "precompress": Moment.COMPACT,
    "sessionend": Moment.END,
}
_NAMES = {"SessionStart", "UserPromptSubmit", "BeforeAgent"}
_MACHINE = ("<", "/", "!")
"""How prompts begin that no person has written in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One call of a client."""

    name: str
    client: str
    moment: Moment | None
    """None for an event that is nothing to us."""
    session_id: str = ""
    transcript: str = ""
    folder: str = ""
    prompt: str = ""
    is_repeated: bool = False
    """The client goes on because a hook asked it to: the same turn ends twice."""

    @property
    def injects(self) -> bool:
        """Whether notes can be put into the conversation now."""
        return self.moment is Moment.START or (self.moment is Moment.PROMPT and bool(self.prompt))


def read_event(name: str, client: str, given: Mapping[str, object]) -> Event:
    """What the client says; anything may be missing. Names of events are taken in any spelling."""

    def text(key: str) -> str:
        value = given.get(key)
        return value if isinstance(value, str) else ""

    prompt = text("prompt").strip()
    return Event(
        name=name,
        client=client,
        moment=_MOMENTS.get("".join(filter(str.isalpha, name)).casefold()),
        session_id=text("session_id"),
        transcript=text("transcript_path"),
        folder=text("cwd"),
        prompt="" if prompt.startswith(_MACHINE) else prompt,
        is_repeated=given.get("stop_hook_active") is True,
    )


def shaped(event: Event, context: str = "", *, trouble: str = "") -> str:
    """The answer to a client: notes for the conversation where it takes any, and a line for the person."""
    answer: dict[str, object] = {}
    if context:
        name = next(
            (known for known in _NAMES if known.casefold() == event.name.replace("-", "").casefold()), event.name
        )
        answer["hookSpecificOutput"] = {"hookEventName": name, "additionalContext": context}
    if trouble:
        answer["systemMessage"] = f"everfact: {trouble}"
    return json.dumps(answer, ensure_ascii=False)
