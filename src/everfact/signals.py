"""What tells which part of a memory matters now. Whoever knows a place of work (`git`) fills it in."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """Signs of what the work is about; all may be missing."""

    branch: str = ""
    commits: tuple[str, ...] = ()
    """The first lines of the latest ones."""
    files: tuple[str, ...] = ()
    """Names of files changed lately, the latest first."""
    prompt: str = ""
    head: str = ""
    """The commit that is checked out."""

    @property
    def work(self) -> str:
        """All but the prompt, as words."""
        branch = self.branch.replace("/", " ").replace("-", " ").replace("_", " ")
        return " ".join((branch, *self.files, *self.commits))
