"""Calls to one model within all limits: of money, of pace, of time; in the form that its server understands."""

from __future__ import annotations

import asyncio
import hashlib
import random
from dataclasses import dataclass, field, replace

from everfact.errors import ModelRefused, ModelUnavailable
from everfact.extractors.llm import endpoint as at
from everfact.extractors.llm.endpoint import Endpoint, Mode, Reply
from everfact.extractors.llm.prompts import Prompt
from everfact.models import Usage
from everfact.ports import Store
from everfact.prices import Price
from everfact.spending import Spending

_FIRST_WAIT = 0.5
_LONGEST_WAIT = 10.0
_REST_SECONDS = 60.0
"""How long nobody asks after a refusal that trying again does not mend; half of it when the model was given up."""
_CONNECTS = 3
"""How often a server is tried that cannot be reached at all: it is not running, most likely."""
_LEAST_SECONDS = 1.0
"""With less time left than this no call is begun."""
_SETTLING_SECONDS = 10.0
"""How long a call waits for others to settle when what they have set aside stands in its way."""
_SHARE = 2 / 3
"""Of the time left, what one call may take: one that hangs leaves some for another."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How many calls at the same time, and a minute, in this process."""

    at_once: int = 4
    a_minute: int | None = None


@dataclass(slots=True)
class Account:
    """What the calls for one episode took so far, and until when they may go on (by the loop's clock)."""

    deadline: float
    usage: Usage = field(default_factory=Usage)

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return self.deadline - asyncio.get_running_loop().time()


class Bucket:
    """A bucket of tokens that fills up evenly; a call takes one out, or waits for it."""

    def __init__(self, pace: Pace) -> None:
        self._most = float(pace.at_once)
        self._rate = pace.a_minute / 60 if pace.a_minute else 0.0
        self._tokens = self._most
        self._filled_at = 0.0

    def take(self, now: float) -> float:
        """Take one out; answer how many seconds to wait before using it."""
        if not self._rate:
            return 0.0
        self._tokens = min(self._most, self._tokens + (now - self._filled_at) * self._rate) - 1
        self._filled_at = now
        return max(0.0, -self._tokens / self._rate)


class Calls:
    """All calls that this process makes to one model."""

    def __init__(self, endpoint: Endpoint, store: Store, spending: Spending, price: Price, pace: Pace) -> None:
        self.endpoint = endpoint
        self.spending = spending
        self._store = store
        self._price = price
        self._bucket = Bucket(pace)
        self._slots = asyncio.Semaphore(pace.at_once)
        self._modes: list[Mode] = []
        """The forms that may do, the one to ask in first."""
        self._kept: Mode | None = None
        self._shut_until = 0.0
        self._shut_because: ModelUnavailable | ModelRefused | None = None

    async def ask(self, prompt: Prompt, account: Account) -> Reply:
        """The model's answer, asked for again while it makes sense and time is left.

        Raises:
            ModelUnavailable: it has not answered in time.
            ModelRefused: its server takes the request in no form.
            LimitReached: no more may be spent today.
            ModelAnswerInvalid: what came back is no answer.
        """
        await self._know_modes()
        wait, tries = _FIRST_WAIT, 0
        while True:
            mode = self._modes[0]
            try:
                return await self._once(prompt, mode, account)
            except ModelUnavailable as error:
                pause = error.retry_after if error.retry_after is not None else wait * random.uniform(0.8, 1.2)  # noqa: S311 - a spread, no secret
                if error.retry_after is not None:
                    self._shut(error, error.retry_after)
                tries += 1
                if pause + _LEAST_SECONDS >= account.left or (not error.was_sent and tries >= _CONNECTS):
                    self._shut(error, max(pause, _REST_SECONDS / 2))
                    raise
                await asyncio.sleep(pause)
                wait = min(wait * 2, _LONGEST_WAIT)
            except ModelRefused as error:
                if not error.is_form:
                    self._shut(error, _REST_SECONDS)
                if not error.is_form or self._modes == [mode]:
                    self._kept = None  # should the server have changed, it is found out anew
                    self._modes = list(at.modes(self.endpoint))
                    raise
                self.drop(mode)

    async def keep(self, mode: Mode) -> None:
        """An answer in this form could be read: from now on every process asks so."""
        if self._kept is not mode:
            self._kept, self._modes = mode, [mode]
            await self._store.set_state(self._name, mode)

    def drop(self, mode: Mode) -> None:
        """This form does not do: unless it is the last one, or has worked before, another one is tried."""
        if len(self._modes) > 1:
            self._modes = [other for other in self._modes if other is not mode]

    @property
    def _name(self) -> str:
        place = hashlib.sha256(f"{self.endpoint.name}@{self.endpoint.address}".encode()).hexdigest()[:16]
        return f"output mode of {self.endpoint.name} {place}"

    async def _know_modes(self) -> None:
        await at.prepare()
        if self._modes:
            return
        kept = await self._store.state(self._name)
        self._kept = Mode(kept) if kept in tuple(Mode) else None
        self._modes = [self._kept] if self._kept else list(at.modes(self.endpoint))

    def _shut(self, why: ModelUnavailable | ModelRefused, seconds: float) -> None:
        self._shut_until = asyncio.get_running_loop().time() + seconds
        self._shut_because = why

    async def _once(self, prompt: Prompt, mode: Mode, account: Account) -> Reply:
        now = asyncio.get_running_loop().time()
        wait = max(self._bucket.take(now), self._shut_until - now)
        if self._shut_because is not None and (
            wait >= account.left or (isinstance(self._shut_because, ModelRefused) and now < self._shut_until)
        ):
            raise self._shut_because
        if wait >= account.left:
            raise ModelUnavailable(
                f"too many calls wait for {self.endpoint.name}", hint="raise llm.requests_per_minute"
            )
        await asyncio.sleep(max(wait, 0))
        try:
            async with asyncio.timeout(max(account.left, 0)):
                await self._slots.acquire()
        except TimeoutError:
            raise ModelUnavailable(
                f"too many calls wait for {self.endpoint.name}", hint="raise llm.concurrency"
            ) from None
        try:
            return await self._paid(prompt, mode, account)
        finally:
            self._slots.release()

    async def _paid(self, prompt: Prompt, mode: Mode, account: Account) -> Reply:
        """One call, counted before it is made and settled after it."""
        most = self._usage(prompt.size // 2, prompt.most_tokens)
        patience = min(account.left / 2, _SETTLING_SECONDS)
        day = await self.spending.reserve(self.endpoint.name, most, patience=patience)
        used, started = most, asyncio.get_running_loop().time()
        try:
            reply = await at.request(
                self.endpoint,
                prompt,
                mode,
                max_tokens=prompt.most_tokens,
                seconds=max(account.left * _SHARE, _LEAST_SECONDS / 2),
            )
            sent, answered = reply.input_tokens, reply.output_tokens
            if not sent:  # some servers count nothing: four bytes a token
                sent, answered = prompt.size // 4, len(reply.text.encode()) // 4
            used = self._usage(sent, answered)
        except ModelUnavailable as error:
            used = most if error.may_cost else Usage(calls=1)
            raise
        except ModelRefused:
            used = Usage(calls=1)
            raise
        finally:  # whoever is cancelled meanwhile settles too: what it has cost nobody can tell then
            used = replace(used, seconds=round(asyncio.get_running_loop().time() - started, 3))
            account.usage += used
            await asyncio.shield(self.spending.settle(self.endpoint.name, day, most, used))
        return replace(reply, mode=mode)

    def _usage(self, sent: int, answered: int) -> Usage:
        usd = self._price.of(sent, answered)
        return Usage(calls=1, input_tokens=sent, output_tokens=answered, usd=usd)
