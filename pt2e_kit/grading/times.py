"""When was it handed in? One strict reading of moments: what is ambiguous is reported, never guessed.

Stock nbgrader reads stamps with dateutil, and misreads without a word: `10/01/2026` by a habit of one country,
`2026-01-11-15-30-10` with `-10` as a zone, `+0100` as 100 seconds, and `PST` as UTC.
"""

import re
import zoneinfo
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache
from pathlib import Path
from typing import Any

from common.i18n import _
from pt2e_kit.grading.collect import read_plain_file
from pt2e_kit.grading.notes import Note

EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)
CLOCK_SKEW = timedelta(minutes=10)
"""A stamp may be so far ahead of this machine's clock."""
OFFSETS = (timedelta(hours=-12), timedelta(hours=14))
"""No place on Earth is further from UTC."""
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_CLOCK = r"(?P<H>\d\d):(?P<M>\d\d)(?::(?P<S>\d\d)(?:[.,](?P<f>\d{1,9}))?)?"
_FORMS = tuple(
    re.compile(form, re.ASCII)
    for form in (
        rf"(?P<y>\d{{4}})-(?P<m>\d\d)-(?P<d>\d\d)[Tt ]{_CLOCK} ?(?P<zone>.*)",
        r"(?P<y>\d{4})(?P<m>\d\d)(?P<d>\d\d)T(?P<H>\d\d)(?P<M>\d\d)(?P<S>\d\d)(?P<f>)(?P<zone>.*)",
        r"(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)-(?P<H>\d\d)-(?P<M>\d\d)-(?P<S>\d\d)(?P<f>)(?P<zone>)",
        rf"(?:(?P<day>{'|'.join(_DAYS)}), )?(?P<d>\d\d?) (?P<month>{'|'.join(_MONTHS)}) (?P<y>\d{{4}}) {_CLOCK} (?P<zone>.+)",
    )
)
"""ISO 8601 and nbgrader's; ISO 8601 without signs; Blackboard's file names; mail and git (RFC 5322)."""


@dataclass(frozen=True)
class Reading:
    """What a time stamp says.

    `moment` has a zone, and is None where the stamp is not understood: `problem` says why, and how to write it.
    `doubt` is set where it is understood, and yet strange: in the future, or before the year 2000.
    """

    moment: datetime | None = None
    problem: str | None = None
    doubt: str | None = None

    @property
    def sure(self) -> bool:
        """Whether the stamp is understood, and nothing about it is strange."""
        return self.moment is not None and self.doubt is None


def read_time(text: str, zone: tzinfo | None = None, *, now: datetime | None = None) -> Reading:
    """Read a time stamp strictly.

    Args:
        text: the stamp, for example ``2026-01-10T23:30:00+01:00`` or ``2026-01-10 23:30:00.000000 UTC``.
        zone: the zone that the course has named (see `named_zone`). Only with it a stamp without a zone, or with an
            abbreviation that it uses at that time (CET, PST), is understood.
        now: the present, to tell what lies in the future; this machine's clock where it is not given.
    """
    try:
        moment = _moment(text.strip(), zone)
    except _Unclear as unclear:
        how = _("write it as 2026-01-10T23:30:00+00:00")
        return Reading(problem=f"{unclear}: {text.strip()[:60]!r}; {how}")
    doubt = None
    if moment > (now or datetime.now(UTC)) + CLOCK_SKEW:
        doubt = _("the time lies in the future: {moment}").format(moment=moment.isoformat())
    elif moment < EARLIEST:
        doubt = _("the time lies before the year 2000: {moment}").format(moment=moment.isoformat())
    return Reading(moment, doubt=doubt)


def submitted_at(folder: Path, zone: tzinfo | None = None) -> tuple[str | None, list[Note]]:
    """Return the time in ``timestamp.txt`` as ISO 8601 with its zone, or None, and notes on what is wrong with it.

    `zone` is the one that the course has named, as for `read_time`.
    """
    try:
        text = read_plain_file(folder / "timestamp.txt", 1000).decode("utf-8-sig").strip()
    except FileNotFoundError:
        return None, []
    except OSError as error:
        message = _("timestamp.txt cannot be read: {e}").format(e=error.strerror or error)
        return None, [Note("time", message)]
    except UnicodeDecodeError:
        text = "?"
    if not text:
        return None, []
    reading = read_time(text, zone)
    told = reading.problem or reading.doubt
    notes = [Note("time", _("timestamp.txt: {told}").format(told=told))] if told else []
    return reading.moment.isoformat() if reading.moment else None, notes


def for_timestamp_file(moment: datetime) -> str:
    """Return a moment in the form that nbgrader's own exchange writes, and that all versions of it read rightly."""
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f UTC")


def named_zone(name: str) -> tzinfo:
    """Return the time zone of an IANA name such as ``Europe/Berlin``, or of ``UTC``.

    Raises:
        ValueError: there is no zone of this name.
    """
    if name in ("UTC", "GMT", "Z"):
        return UTC
    if name not in _zone_names():
        text = _("there is no time zone {name!r}: write UTC, or an IANA name such as Europe/Berlin")
        raise ValueError(text.format(name=name))
    return zoneinfo.ZoneInfo(name)


def configured_zone(config: Any) -> tzinfo | None:
    """Return the time zone that nbgrader_config.py names as `c.Exchange.timezone`; None where it names none.

    nbgrader takes UTC where none is named. For stamps that were made elsewhere that would be a guess.

    Raises:
        ValueError: it is not the IANA name of a zone.
    """
    name = config.Exchange.get("timezone") if "Exchange" in config else None
    if not name:
        return None
    try:
        return named_zone(str(name))
    except ValueError as error:
        raise ValueError(_("nbgrader_config.py, c.Exchange.timezone: {e}").format(e=error)) from None


@cache
def _zone_names() -> frozenset[str]:
    return frozenset(zoneinfo.available_timezones())


class _Unclear(Exception):
    """A stamp that says no single moment; the message says why."""


def _moment(text: str, course_zone: tzinfo | None) -> datetime:
    found = next((m for m in (form.fullmatch(text) for form in _FORMS) if m), None)
    if found is None:
        raise _Unclear(_("the time is not understood"))
    part = found.groupdict()
    month = _MONTHS.index(part["month"]) + 1 if "month" in part else int(part["m"])
    fraction = int((part["f"] or "0").ljust(6, "0")[:6])
    try:
        local = datetime(
            int(part["y"]), month, int(part["d"]), int(part["H"]), int(part["M"]), int(part["S"] or 0), fraction
        )
    except ValueError as error:
        raise _Unclear(_("there is no such time ({why})").format(why=error)) from None
    if part.get("day") and part["day"] != _DAYS[local.weekday()]:
        raise _Unclear(_("that day was no {day}").format(day=part["day"]))
    try:
        return _with_zone(local, part["zone"], course_zone)
    except OverflowError:
        raise _Unclear(_("there is no such time")) from None


def _with_zone(local: datetime, zone: str, course_zone: tzinfo | None) -> datetime:
    """The moment at which a clock in the zone shows `local`; `zone` is how the stamp names it, and may be empty."""
    offset = re.fullmatch(r"([+-])(\d\d)(?::?(\d\d))?", zone, re.ASCII)
    if offset:
        ahead = timedelta(hours=int(offset[2]), minutes=int(offset[3] or 0)) * (-1 if offset[1] == "-" else 1)
        if not OFFSETS[0] <= ahead <= OFFSETS[1] or int(offset[3] or 0) > 59:
            raise _Unclear(_("no place is that far from UTC"))
        return _checked(local.replace(tzinfo=timezone(ahead)))
    if zone in ("UTC", "GMT", "Z", "z"):
        return _checked(local.replace(tzinfo=UTC))
    if "/" in zone and zone in _zone_names():
        return _only(local, zoneinfo.ZoneInfo(zone), None)
    if zone and not re.fullmatch(r"[A-Za-z]{2,5}", zone):
        raise _Unclear(_("the time zone is not understood"))
    if course_zone is None:
        if not zone:
            raise _Unclear(_("the time has no time zone, and the course names none; it is not used"))
        raise _Unclear(_("{zone} is not the name of one time zone, and the course names none").format(zone=zone))
    return _only(local, course_zone, zone or None)


def _only(local: datetime, zone: tzinfo, abbreviation: str | None) -> datetime:
    """The one moment at which a clock in `zone` shows `local`, where there is one."""
    both = [local.replace(tzinfo=zone, fold=fold) for fold in (0, 1)]
    # A time that clocks leap over does not come back the same from UTC.
    real = [m for m in both if m.astimezone(UTC).astimezone(zone).replace(tzinfo=None) == local]
    if not real:
        raise _Unclear(_("clocks in {zone} leapt over that time").format(zone=zone))
    named = [m for m in real if abbreviation in (None, m.tzname())]
    if not named:
        raise _Unclear(_("{zone} is not what {course} calls its time then").format(zone=abbreviation, course=zone))
    if named[0].utcoffset() != named[-1].utcoffset():
        offsets = _(" or ").join(m.isoformat() for m in named)
        raise _Unclear(_("clocks in {zone} showed that time twice ({offsets})").format(zone=zone, offsets=offsets))
    offset = named[0].utcoffset() or timedelta()
    if offset % timedelta(minutes=1):  # local mean time of long ago: ISO 8601 has no seconds there
        return named[0].astimezone(UTC)
    # A fixed offset: the moment then means the same wherever it is written.
    return _checked(named[0].replace(tzinfo=timezone(offset), fold=0))


def _checked(moment: datetime) -> datetime:
    moment.astimezone(UTC)  # raises OverflowError at the ends of the calendar
    return moment
