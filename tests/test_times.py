"""Time stamps: what is unambiguous is read, all else is refused in words, and nothing is guessed."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from nbgrader.utils import parse_utc

from pt2e_kit.grading.times import Reading, for_timestamp_file, named_zone, read_time, submitted_at

NOW = datetime(2026, 11, 29, tzinfo=UTC)
BERLIN = named_zone("Europe/Berlin")


def moment(text: str, zone: str | None = None) -> str | None:
    reading = read_time(text, named_zone(zone) if zone else None, now=NOW)
    assert (reading.moment is None) != (reading.problem is None)
    return reading.moment.isoformat() if reading.moment else None


def problem(text: str, zone: str | None = None) -> str:
    reading = read_time(text, named_zone(zone) if zone else None, now=NOW)
    assert reading.moment is None and not reading.sure
    assert reading.problem and "write it as 2026-01-10T23:30:00+00:00" in reading.problem
    return reading.problem


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("2026-01-10 23:30:00.000000 UTC", "2026-01-10T23:30:00+00:00"),
        ("2026-01-10 23:30:00.250000 UTC", "2026-01-10T23:30:00.250000+00:00"),
        ("2026-01-10 23:30:00 GMT", "2026-01-10T23:30:00+00:00"),
        ("2026-01-10 23:30:00 Z", "2026-01-10T23:30:00+00:00"),
        ("2026-01-10T23:30Z", "2026-01-10T23:30:00+00:00"),
        ("2026-01-10t23:30:00z", "2026-01-10T23:30:00+00:00"),
        ("2026-01-10T23:30:00.123456789Z", "2026-01-10T23:30:00.123456+00:00"),
        ("2026-01-10T23:30:00,5+01:00", "2026-01-10T23:30:00.500000+01:00"),
        ("2026-01-10 23:30:00 +0000", "2026-01-10T23:30:00+00:00"),
        ("2026-01-10 23:30:00 +0100", "2026-01-10T23:30:00+01:00"),
        ("2026-01-10 23:30:00-03", "2026-01-10T23:30:00-03:00"),
        ("2026-01-10 23:30:00 +05:45", "2026-01-10T23:30:00+05:45"),
        ("20260110T233000Z", "2026-01-10T23:30:00+00:00"),
        ("20260110T233000+0100", "2026-01-10T23:30:00+01:00"),
        ("2026-01-10 23:30:00 Europe/Berlin", "2026-01-10T23:30:00+01:00"),
        ("2026-07-10 23:30:00 Europe/Berlin", "2026-07-10T23:30:00+02:00"),
        ("2026-01-10 23:30:00 America/Argentina/Buenos_Aires", "2026-01-10T23:30:00-03:00"),
        ("Sat, 10 Jan 2026 23:30:00 +0000", "2026-01-10T23:30:00+00:00"),
        ("10 Jan 2026 23:30:00 -0500", "2026-01-10T23:30:00-05:00"),
    ],
)
def test_unambiguous_forms_are_read(text: str, read: str) -> None:
    assert moment(text) == read
    assert moment(f"  {text}\n", "Asia/Tokyo") == read, "the course's zone never overrules the stamp's own"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("2026-01-10 23:30:00", "has no time zone"),
        ("2026-01-11-15-30-10", "has no time zone"),
        ("2026-01-10 23:30:00 CET", "CET is not the name of one time zone"),
        ("2026-01-10 23:30:00.000000 PST", "PST is not the name of one time zone"),
        ("2026-01-10 23:30:00 CST", "CST is not the name of one time zone"),
        ("2026-01-10 23:30:00 GMT+1", "time zone is not understood"),
        ("2026-01-10 23:30:00 ../../etc/localtime", "time zone is not understood"),
        ("2026-01-10 23:30:00 Europe/Atlantis", "time zone is not understood"),
        ("2026-01-10 23:30:00 +2500", "no place is that far"),
        ("2026-01-10 23:30:00 +01:75", "no place is that far"),
        ("2026-01-10T23:30:00+01:00 and more", "time zone is not understood"),
        ("10/01/2026", "not understood"),
        ("10/01/2026 23:30", "not understood"),
        ("10.01.2026 23:30 UTC", "not understood"),
        ("2026/01/10 23:30:00 UTC", "not understood"),
        ("26-01-10 23:30:00 UTC", "not understood"),
        ("2026-1-10 23:30:00 UTC", "not understood"),
        ("2026-01-10", "not understood"),
        ("2026-W02-6T23:30:00Z", "not understood"),
        ("1768087800", "not understood"),
        ("20170116164400200", "not understood"),
        ("yesterday evening", "not understood"),
        ("٢٠٢٦-01-10T23:30:00Z", "not understood"),
        ("2026-13-10T23:30:00Z", "no such time"),
        ("2026-02-29T23:30:00Z", "no such time"),
        ("2026-01-10T24:00:00Z", "no such time"),
        ("2026-01-10T23:59:60Z", "no such time"),
        ("0000-01-01T00:00:00Z", "no such time"),
        ("0001-01-01T00:00:00+01:00", "no such time"),
        ("Sun, 10 Jan 2026 23:30:00 +0000", "that day was no Sun"),
        ("", "not understood"),
    ],
)
def test_everything_else_is_refused_in_words(text: str, words: str) -> None:
    assert words in problem(text)


def test_the_zone_of_the_course_explains_what_names_none() -> None:
    assert moment("2026-01-10 23:30:00", "Europe/Berlin") == "2026-01-10T23:30:00+01:00"
    assert moment("2026-01-10-23-30-10", "Europe/Berlin") == "2026-01-10T23:30:10+01:00"
    assert moment("2026-01-10 23:30:00", "UTC") == "2026-01-10T23:30:00+00:00"
    assert moment("2026-01-10 23:30:00.000000 CET", "Europe/Berlin") == "2026-01-10T23:30:00+01:00"
    assert moment("2026-07-10 23:30:00 PDT", "America/Los_Angeles") == "2026-07-10T23:30:00-07:00"
    assert moment("2026-01-10 23:30:00 CST", "Asia/Shanghai") == "2026-01-10T23:30:00+08:00"
    assert moment("2026-01-10 23:30:00 CST", "America/Chicago") == "2026-01-10T23:30:00-06:00"
    assert "not what Europe/Berlin calls its time" in problem("2026-07-10 23:30:00 CET", "Europe/Berlin")
    assert "not what Europe/Berlin calls its time" in problem("2026-01-10 23:30:00 PST", "Europe/Berlin")


def test_clocks_that_are_changed() -> None:
    assert "leapt over" in problem("2026-03-29 02:30:00", "Europe/Berlin")
    assert "leapt over" in problem("2026-03-29 02:30:00 Europe/Berlin")
    assert "leapt over" in problem("2026-03-29 02:30:00 CET", "Europe/Berlin")
    twice = problem("2026-10-25 02:30:00", "Europe/Berlin")
    assert "2026-10-25T02:30:00+02:00 or 2026-10-25T02:30:00+01:00" in twice, "both are told, so that one can be chosen"
    assert moment("2026-10-25 02:30:00 CEST", "Europe/Berlin") == "2026-10-25T02:30:00+02:00"
    assert moment("2026-10-25 02:30:00 CET", "Europe/Berlin") == "2026-10-25T02:30:00+01:00"
    assert moment("2026-10-25 01:59:59", "Europe/Berlin") == "2026-10-25T01:59:59+02:00"
    assert moment("2026-10-25 03:00:00", "Europe/Berlin") == "2026-10-25T03:00:00+01:00"


@pytest.mark.parametrize(
    ("text", "doubt"),
    [
        ("2026-11-29T00:09:00Z", None),
        ("2026-11-29T00:11:00Z", "in the future"),
        ("2036-01-10T23:30:00Z", "in the future"),
        ("2000-01-01T00:00:00Z", None),
        ("1999-12-31T23:59:59Z", "before the year 2000"),
        ("1970-01-01T00:00:00Z", "before the year 2000"),
    ],
)
def test_strange_times_are_read_and_doubted(text: str, doubt: str | None) -> None:
    reading = read_time(text, now=NOW)
    assert reading.moment is not None
    assert reading.sure == (doubt is None)
    assert (doubt or "") in (reading.doubt or "") and bool(reading.doubt) == bool(doubt)


def test_offsets_of_seconds_become_utc() -> None:
    assert moment("1850-01-01 00:00:00 Europe/Berlin") == "1849-12-31T23:06:32+00:00"


def test_nothing_is_sure_about_no_reading() -> None:
    assert not Reading().sure


@pytest.mark.parametrize("name", ["", "Mars/Olympus", "../UTC", "/etc/localtime", "UTC+3", "europe/berlin"])
def test_zones_must_exist(name: str) -> None:
    with pytest.raises(ValueError, match="no time zone"):
        named_zone(name)


def test_what_is_written_is_what_nbgrader_reads() -> None:
    for text in ("2026-01-10T23:30:00.250000+05:45", "2026-07-10 23:30:00 Europe/Berlin"):
        read = read_time(text, now=NOW).moment
        assert read is not None
        written = for_timestamp_file(read)
        assert read_time(written, now=NOW).moment == read
        assert parse_utc(written).replace(tzinfo=UTC) == read


def test_timestamp_files(tmp_path: Path) -> None:
    stamp = tmp_path / "timestamp.txt"
    stamp.write_text("2026-01-10 23:30:00")
    assert submitted_at(tmp_path, BERLIN) == ("2026-01-10T23:30:00+01:00", [])
    moment, (note,) = submitted_at(tmp_path)
    assert moment is None and note.kind == "time" and "timestamp.txt: the time has no time zone" in note.message
    stamp.write_text("1999-01-10T23:30:00Z")
    moment, (note,) = submitted_at(tmp_path)
    assert moment == "1999-01-10T23:30:00+00:00" and "before the year 2000" in note.message
