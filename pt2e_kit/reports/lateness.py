"""What is taken off for lateness. A time that is not known, or strange, never costs anything, but is told."""

import math
from dataclasses import dataclass
from datetime import datetime, timedelta

from common.i18n import _
from pt2e_kit.grading.times import read_time
from pt2e_kit.reports.adjustments import Late

DAY = timedelta(days=1)


@dataclass(frozen=True)
class Lateness:
    """What follows from a time: `percent` (0 to 100) is taken off, and `why` says so; empty where all is in time."""

    percent: float = 0.0
    why: str = ""


def lateness(late: Late, due: datetime, submitted_at: str | None, graded_at: str | None = None) -> Lateness:
    """Return what is taken off a score.

    A day counts from the moment at which it begins: one minute after the grace period is one day late. Days are
    counted from `due`; the grace period only forgives, and does not shift them.

    Args:
        late: the rule.
        due: when it was due, with its zone.
        submitted_at: when it was handed in, in ISO 8601 with its zone, as results.json has it; None: not known.
        graded_at: when it was graded. What was handed in after that has a clock that cannot be trusted.
    """
    now = datetime.fromisoformat(graded_at) if graded_at else None
    reading = read_time(submitted_at or "", now=now)
    if reading.moment is None:
        return Lateness(why=_("not known when it was handed in: nothing taken off"))
    if not reading.sure:
        text = _("{doubt}: nothing taken off for lateness")
        return Lateness(why=text.format(doubt=reading.doubt))
    after = reading.moment - due
    if after <= late.grace:
        return Lateness()
    if late.cut_off is not None and after > late.cut_off:
        return Lateness(100.0, _("handed in {late} late, after the cut-off").format(late=_words(after)))
    percent = min(100.0, math.ceil(after / DAY) * late.percent_per_day)
    what = _("the score") if late.of == "score" else _("the maximum")
    text = _("handed in {late} late: {percent:g} % of {what} taken off")
    return Lateness(percent, text.format(late=_words(after), percent=percent, what=what))


def _words(span: timedelta) -> str:
    """A span as people say it: 1 d 2 h, 5 h, 12 min; rounded down, and at least a minute."""
    hours, days = span // timedelta(hours=1) % 24, span.days
    parts = [_("{n} d").format(n=days)] if days else []
    parts += [_("{n} h").format(n=hours)] if hours else []
    return " ".join(parts) or _("{n} min").format(n=max(1, span // timedelta(minutes=1) % 60))
