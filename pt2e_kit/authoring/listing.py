"""The list of exercises, as `pt2e-kit exercises` shows it."""

from pathlib import Path
from typing import Any

from common.exercise import Exercise, all_exercises

BANK = Path(__file__).resolve().parents[2] / "tests" / "answers"
"""The answers bank of a checkout; an installed package does not hold it."""


def exercise_rows(bank: Path = BANK) -> list[dict[str, Any]]:
    """Return one row per exercise, in order of ids; `accept` and `reject` are None where there is no bank."""
    return [_row(exercise, bank) for exercise in all_exercises()]


def _row(exercise: Exercise, bank: Path) -> dict[str, Any]:
    return {
        "id": exercise.id,
        "lesson": exercise.lesson,
        "module": exercise.module,
        "title": exercise.title,
        "kind": exercise.kind,
        "points": exercise.points,
        "minutes": exercise.minutes,
        "accept": _count(exercise, bank, "accept"),
        "reject": _count(exercise, bank, "reject"),
    }


def _count(exercise: Exercise, bank: Path, word: str) -> int | None:
    if not bank.is_dir():
        return None
    return len(list((bank / exercise.lesson / exercise.name).glob(f"{word}_*.py")))
