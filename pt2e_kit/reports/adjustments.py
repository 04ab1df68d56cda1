"""adjustments.toml: what an instructor changes about scores, apart from the scores. Taken out again, it is undone.

```toml
[m02_by_hand]
due = 2026-01-10T23:59:00+01:00

[m02_by_hand.late]
grace_minutes = 15
percent_per_day = 10
cut_off_days = 5

[m02_by_hand.exercises."m02_2.insert_after"]
do = "full marks"
why = "the text was not clear"

[m02_by_hand.students.ada]
extra_days = 3
why = "was ill"
```
"""

import math
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo
from difflib import get_close_matches
from typing import Any, Literal

from common.i18n import _
from pt2e_kit.course import Course
from pt2e_kit.grading.times import configured_zone, read_time
from pt2e_kit.reports.exercises import Listed, listed

FILE = "adjustments.toml"
"""In the course's folder, beside nbgrader_config.py."""

DROP: Literal["drop"] = "drop"
FULL_MARKS: Literal["full marks"] = "full marks"


@dataclass(frozen=True)
class Change:
    """What is done with one exercise, for everybody."""

    do: str
    why: str


@dataclass(frozen=True)
class Extension:
    """More time for one student: until a moment of their own, or some days more than the others."""

    why: str
    due: datetime | None = None
    extra: timedelta = timedelta()


@dataclass(frozen=True)
class Late:
    """What lateness costs."""

    grace: timedelta = timedelta()
    """So much later costs nothing."""
    percent_per_day: float = 0.0
    """For each day that has begun since the assignment was due."""
    of: str = "score"
    """What it is a part of: "score", what was reached, or "maximum", what could be reached."""
    cut_off: timedelta | None = None
    """What comes later than this counts 0."""


@dataclass(frozen=True)
class Adjustments:
    """What adjustments.toml says about one assignment; with nothing in it, nothing changes."""

    due: datetime | None = None
    late: Late | None = None
    exercises: dict[str, Change] = field(default_factory=dict)
    students: dict[str, Extension] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.late or self.exercises or self.students)

    def due_for(self, student: str) -> datetime | None:
        """When the assignment is due for one student; None where nobody has said."""
        own = self.students.get(student)
        if own is not None and own.due is not None:
            return own.due
        return self.due + own.extra if own is not None and self.due is not None else self.due


def read_adjustments(course: Course, assignment: str) -> Adjustments:
    """Return what the course's adjustments.toml says about an assignment; nothing where there is no such file.

    Raises:
        ValueError: the file says something that it cannot; the message names the place, and what it may say there.
        LookupError: there is no such assignment.
    """
    path = course.root / FILE
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return Adjustments()
    except UnicodeDecodeError:
        raise ValueError(_("{file}: not UTF-8").format(file=FILE)) from None
    try:
        whole = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(_("{file} is no TOML: {e}").format(file=FILE, e=error)) from None
    _known(whole, course.assignments(), "", _("assignment"))
    there = listed(course.source(assignment))
    part = _table(whole.get(assignment, {}), f"[{assignment}]")
    return _Reader(configured_zone(course.config())).assignment(part, f"[{assignment}]", there)


class _Reader:
    """Reads one assignment's part; `zone` is for times that name none."""

    def __init__(self, zone: tzinfo | None) -> None:
        self.zone = zone

    def assignment(self, part: dict[str, Any], where: str, there: list[Listed]) -> Adjustments:
        _known(part, ("due", "late", "exercises", "students"), where, _("key"))
        due = self.time(part, "due", where)
        late = None
        if "late" in part:
            late = self.late(_table(part["late"], _in(where, "late")), _in(where, "late"))
        exercises = self.exercises(_table(part.get("exercises", {}), _in(where, "exercises")), where, there)
        students = {
            student: self.extension(_table(entry, _in(where, "students", student)), _in(where, "students", student))
            for student, entry in _table(part.get("students", {}), _in(where, "students")).items()
        }
        without = [s for s, e in students.items() if e.due is None]
        if due is None and (late is not None or without):
            what = _in(where, "late") if late is not None else _in(where, "students", without[0])
            text = _("{file}, {where}: {what} needs to know when it is due, as in: due = 2026-01-10T23:59:00+01:00")
            raise ValueError(_said(text, where, what=what))
        return Adjustments(due, late, exercises, students)

    def late(self, part: dict[str, Any], where: str) -> Late:
        _known(part, ("grace_minutes", "percent_per_day", "of", "cut_off_days"), where, _("key"))
        if not part.keys() & {"percent_per_day", "cut_off_days"}:
            raise ValueError(_said(_("{file}, {where}: needs percent_per_day or cut_off_days, or both"), where))
        grace = timedelta(minutes=_number(part, "grace_minutes", where))
        percent = _number(part, "percent_per_day", where, most=100)
        of = part.get("of", "score")
        if of not in ("score", "maximum"):
            raise ValueError(_said(_('{file}, {where}: of = {of!r} is neither "score" nor "maximum"'), where, of=of))
        cut_off = timedelta(days=_number(part, "cut_off_days", where)) if "cut_off_days" in part else None
        if cut_off is not None and cut_off < grace:
            raise ValueError(_said(_("{file}, {where}: cut_off_days ends before grace_minutes"), where))
        return Late(grace, percent, of, cut_off)

    def exercises(self, part: dict[str, Any], where: str, there: list[Listed]) -> dict[str, Change]:
        known = {e.id: e for e in there}
        _known(part, known, _in(where, "exercises"), _("exercise"))
        found = {}
        for name, entry in part.items():
            inner = _in(where, "exercises", name)
            entry = _table(entry, inner)
            _known(entry, ("do", "why"), inner, _("key"))
            if not known[name].counts:
                text = _("{file}, {where}: {kind} exercises are in no score, so there is nothing to adjust")
                raise ValueError(_said(text, inner, kind=known[name].kind))
            if entry.get("do") not in (DROP, FULL_MARKS):
                text = _('{file}, {where}: do = {do!r} is neither "drop" nor "full marks"')
                raise ValueError(_said(text, inner, do=entry.get("do")))
            found[name] = Change(entry["do"], _why(entry, inner))
        return found

    def extension(self, part: dict[str, Any], where: str) -> Extension:
        _known(part, ("due", "extra_days", "why"), where, _("key"))
        if ("due" in part) == ("extra_days" in part):
            raise ValueError(_said(_("{file}, {where}: needs one of due and extra_days"), where))
        extra = timedelta(days=_number(part, "extra_days", where))
        return Extension(_why(part, where), self.time(part, "due", where), extra)

    def time(self, part: dict[str, Any], name: str, where: str) -> datetime | None:
        if name not in part:
            return None
        given = part[name]
        # A day, or a time without a zone, can be meant in two ways; `read_time` says what is missing.
        reading = read_time(given.isoformat() if isinstance(given, datetime) else str(given), self.zone)
        if reading.moment is None:
            text = _("{file}, {where}, {name}: {problem}")
            raise ValueError(_said(text, where, name=name, problem=reading.problem))
        return reading.moment


def _in(where: str, *names: str) -> str:
    """The table inside a table, as TOML writes it."""
    plain = all(c.isalnum() or c in "_-" for n in names for c in n)
    inner = ".".join(names if plain else [*names[:-1], f'"{names[-1]}"'])
    return f"{where[:-1]}.{inner}]"


def _said(text: str, where: str, **values: Any) -> str:
    return text.format(file=FILE, where=where, **values)


def _table(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(_said(_("{file}: {where} has to be a table, not {value!r}"), where, value=value))
    return value


def _known(part: dict[str, Any], names: Iterable[str], where: str, what: str) -> None:
    names = list(names)
    for name in part:
        if name not in names:
            near = get_close_matches(name, names, n=1)
            hint = _("Did you mean {near!r}?").format(near=near[0]) if near else _("There are: ") + ", ".join(names)
            place = f", {where}" if where else ""
            text = _("{file}{place}: there is no {what} {name!r}. {hint}")
            raise ValueError(text.format(file=FILE, place=place, what=what, name=name, hint=hint))


def _number(part: dict[str, Any], name: str, where: str, most: float = 10_000) -> float:
    value = part.get(name, 0)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ValueError(_said(_("{file}, {where}: {name} has to be a number"), where, name=name))
    if not 0 <= value <= most:
        text = _("{file}, {where}: {name} has to lie between 0 and {most:g}")
        raise ValueError(_said(text, where, name=name, most=most))
    return float(value)


def _why(part: dict[str, Any], where: str) -> str:
    why = part.get("why")
    if not isinstance(why, str) or not why.strip():
        raise ValueError(_said(_('{file}, {where}: say why, as in: why = "the text was not clear"'), where))
    return " ".join(why.split())
