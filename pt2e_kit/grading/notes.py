"""Notes on a submission, and the ways in which it can fail to be graded."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["repair", "suspicion", "limit", "environment", "time"]
State = Literal["graded", "missing", "unreadable", "ambiguous", "failed"]

WORST_FIRST: tuple[State, ...] = ("failed", "ambiguous", "unreadable", "missing", "graded")
"""A submission is in the worst state of its notebooks."""


@dataclass(frozen=True)
class Note:
    """Something that an instructor should know, in words."""

    kind: Kind
    message: str

    def as_dict(self) -> dict[str, str]:
        """Return plain data."""
        return {"kind": self.kind, "message": self.message}


class CannotGrade(Exception):
    """A notebook that gets no score; `state` says of which kind, the message why."""

    def __init__(self, state: State, cause: str) -> None:
        super().__init__(cause)
        self.state, self.cause = state, cause
