"""Reads the answers bank: tests/answers/<lesson>/<name>/{accept,reject}_*.py.

A reject answer says in its first lines what the judge must find (``# finds: self-loop``) and, where a
near neighbour must not be taken for it, what it must not (``# not: called-directly``). ``# needs: mkldnn`` names a
part of `common.platform_checks` without which its mistake does not show.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from common.exercise import Case, Exercise
from common.exercise.base import Verdict
from common.exercise.evidence import Piece, Recorder
from common.exercise.judging import judge_pieces
from common.exercise.probing import run_probe
from common.exercise.shortcuts import parse_cell

BANK = Path(__file__).parent / "answers"


@dataclass(frozen=True)
class Answer:
    """One file of the bank."""

    exercise_id: str
    path: Path

    @property
    def accept(self) -> bool:
        return self.path.name.startswith("accept_")

    def marked(self, word: str) -> list[str]:
        """The misconceptions named in a comment such as ``# finds: a, b``."""
        found = re.findall(rf"^# {word}: (.+)$", self.path.read_text(encoding="utf-8"), re.MULTILINE)
        return [name.strip() for line in found for name in line.split(",")]

    def __str__(self) -> str:
        return f"{self.exercise_id}-{self.path.stem}"


def answers(exercise_id: str | None = None) -> list[Answer]:
    """All answers in the bank, or those of one exercise."""
    paths = sorted([*BANK.glob("*/*/accept_*.py"), *BANK.glob("*/*/reject_*.py")])
    found = [Answer(f"{p.parent.parent.name}.{p.parent.name}", p) for p in paths]
    return [a for a in found if exercise_id in (None, a.exercise_id)]


def try_source(exercise: Exercise, source: str, hidden: list[Case]) -> Verdict:
    """Run the source of an answer as a notebook cell would be, then probe and judge it on all cases."""
    names: dict[str, object] = {}
    pieces: dict[str, list[Piece]] = {}
    exec(compile(parse_cell(source), f"<answer {exercise.id}>", "exec"), names)
    for case in (*exercise.public_cases, *hidden):
        if exercise.name in names:
            piece = run_probe(exercise, names[exercise.name], case)
        else:
            ev = Recorder(exercise, case)
            ev.status = "not_found"
            piece = ev.piece()
        pieces[case.digest] = [piece]
    return judge_pieces(exercise, hidden, pieces, [source])


def judge_object(exercise: Exercise, answer: object) -> Verdict:
    """Probe and judge an object as the answer, on the public cases."""
    pieces = {case.digest: [run_probe(exercise, answer, case)] for case in exercise.public_cases}
    return judge_pieces(exercise, [], pieces)
