"""Every exception everfact raises on purpose.

EverfactError
├── UsageError             the caller's mistake: bad time, bad argument
│   └── NotFound           nothing has that id or name
├── ConfigError            the operator's mistake: unknown key, wrong value
├── StoreError             the store cannot do it: read-only, not a memory file
│   ├── StoreUnavailable   it may work later: locked, disk full, server away      (retryable)
│   ├── StoreCorrupt       the file is damaged
│   ├── SchemaTooNew       the file was written by a later version
│   ├── Conflict           somebody changed the group since it was read           (retryable)
│   └── ClaimLost          the lease ran out and another worker took over
├── ExtractError           text could not be turned into assertions
│   ├── ModelUnavailable   the model did not answer                               (retryable)
│   ├── ModelRefused       its server does not take the request as it is
│   ├── LimitReached       what models may cost a day is spent
│   └── ModelAnswerInvalid the model answered nonsense
├── CaptureError           a transcript that cannot be read
└── InstallError           a client's config that cannot be edited safely
"""

from __future__ import annotations

from typing import ClassVar, Final

META_KEY: Final = "everfact/error"
"""Where our server says, in the `_meta` of a failed result, which of these it was, for our client."""


class EverfactError(Exception):
    """Something went wrong; `hint` says what to do next and `retryable` whether trying again can help."""

    retryable: ClassVar[bool] = False

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint

    def __str__(self) -> str:
        message = super().__str__()
        return f"{message} ({self.hint})" if self.hint else message


class UsageError(EverfactError):
    """The caller's mistake: a bad time, a bad argument."""


class NotFound(UsageError):
    """Nothing has that id or name."""


class ConfigError(EverfactError):
    """The operator's mistake: an unknown key, a value of the wrong kind, a missing secret."""


class StoreError(EverfactError):
    """The store cannot do what was asked."""


class StoreUnavailable(StoreError):
    """The store may work later: locked, disk full, server away."""

    retryable = True


class StoreCorrupt(StoreError):
    """The file is damaged."""


class SchemaTooNew(StoreError):
    """The file was written by a later version."""


class Conflict(StoreError):
    """Somebody changed the group since it was read; read again and retry."""

    retryable = True


class ClaimLost(StoreError):
    """The lease ran out and another worker took over; drop the work."""


class ExtractError(EverfactError):
    """Text could not be turned into assertions."""


class ModelUnavailable(ExtractError):
    """The model did not answer.

    `retry_after` is in how many seconds it wants to be asked again, if it says; `was_sent`: the question has reached
    its server; `may_cost`: for all we know it has worked on it.
    """

    retryable = True

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        retry_after: float | None = None,
        was_sent: bool = True,
        may_cost: bool = False,
    ) -> None:
        super().__init__(message, hint=hint)
        self.retry_after = retry_after
        self.was_sent = was_sent
        self.may_cost = may_cost


class ModelRefused(ExtractError):
    """The model's server does not take the request as it is; `is_form`: another form of it may do."""

    def __init__(self, message: str, *, hint: str = "", is_form: bool = False) -> None:
        super().__init__(message, hint=hint)
        self.is_form = is_form


class LimitReached(ExtractError):
    """What models may cost a day is spent; it goes on tomorrow."""


class ModelAnswerInvalid(ExtractError):
    """The model answered something that is not an extraction."""


class CaptureError(EverfactError):
    """A transcript that cannot be read; the message names file and line."""


class InstallError(EverfactError):
    """A client's config that cannot be edited safely; nothing was changed."""
