"""Notes on a submission, and the ways in which it can fail to be graded."""

import re
from dataclasses import dataclass
from typing import Any, Literal

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


TOLD = "pt2e_kit_told"
"""Metadata of a graded notebook: the messages that its feedback page shows at the top."""
FOR_STUDENTS = ("repair", "limit")
"""Kinds of notes that concern the student. Suspicions are for a person to judge first."""


def printable(value: Any) -> Any:
    """Return plain data in which no text can do anything to a terminal or fail to be written as UTF-8.

    Control characters (line ends and tabs apart), direction marks and halves of surrogate pairs are replaced by a
    replacement character.
    """
    if isinstance(value, str):
        return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, dict):
        return {printable(k): printable(v) for k, v in value.items()}
    return [printable(v) for v in value] if isinstance(value, list) else value


_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
