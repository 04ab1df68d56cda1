"""What several errors come to together, in decibels."""

from collections.abc import Callable, Iterator
from typing import Any

from common.checks.m05_3._quantized import same_db
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import NUMBER, Evidence, Recorder
from common.noise import together

TOLERANCE = 0.01
READ = "the result was read as a number"


class AddUp(Exercise):
    """add_up(dbs): the SQNR that several errors come to together when they know nothing of each other."""

    id = "m05_3.add_up"
    kind = "practice"
    minutes = 5
    criteria = {"decibels": 2}
    must_return = True
    parameters = ("dbs",)
    not_allowed = ("together", "db_of")
    hints = (
        "Three steps: decibels to noise, the sum of the noises, noise to decibels.",
        "The noise, as a part of the signal, is `10 ** (-db / 10)`. It is 0 for infinitely many decibels.",
    )
    misconceptions = {
        "sum": "Decibels are logarithms. Their sum multiplies what should be added.",
        "mean": "The mean hides the worst one. Several errors together are never better than the worst of them alone.",
        "worst": "The worst one decides much, but the others come on top.",
        "amplitudes": "10 ** (−dB / 20) is the size of the error, and sizes add up only when all errors point the same way. For "
        "errors that know nothing of each other the powers add up: 10 ** (−dB / 10).",
        "quality-added": "10 ** (dB / 10) is signal by noise: large is good. Added up, every further error would make the net "
        "better. Add up the noise, which has the minus sign.",
        "no-noise": "Where all numbers are infinite there is no noise, and the result is infinite. A logarithm of 0 does "
        "not exist: look at the sum first.",
        "mean-of-noise": "The errors are all there at the same time: their sum counts, and not their mean.",
        "form": "The result is a number of decibels.",
    }
    public_cases = (
        Case(dbs=[30.0, 30.0]),
        Case(dbs=[41.5, 22.5, 32.0, 27.25]),
        Case(dbs=["inf", 25.0]),
    )
    facts = {"answer": NUMBER}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        returned = ev.call(answer, _dbs(case))
        with ev.student(READ):
            ev.fact("answer", float(returned))

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        exception = evidence.exception or {}
        kind, message = exception.get("type"), str(exception.get("message", ""))
        about_zero = kind == "ZeroDivisionError" or "math domain error" in message or "a positive input" in message
        if exception.get("during") == READ:
            yield self.failed("decibels", "form", "The result is not a number.")
        elif about_zero and together(_dbs(case)) == float("inf"):
            yield self.failed("decibels", "no-noise", "A logarithm of 0, or a division by it, was asked for.")

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        dbs, said = _dbs(case), evidence.facts["answer"]
        right = together(dbs)
        if same_db(said, right, TOLERANCE):
            yield self.passed("decibels")
            return
        ideas: dict[str, Callable[[], float]] = {
            "no-noise": lambda: said if right == float("inf") else float("nan"),
            "sum": lambda: sum(dbs),
            "worst": lambda: min(dbs),
            "mean": lambda: sum(dbs) / len(dbs),
            "amplitudes": lambda: 2 * together(db / 2 for db in dbs),
            "quality-added": lambda: -together(-db for db in dbs) if max(dbs) < 1000 else float("inf"),
            "mean-of-noise": lambda: right + together([0.0]) + _share(len(dbs)),
        }
        found = [kind for kind, idea in ideas.items() if same_db(said, idea(), TOLERANCE)]
        if found and found[0] == "no-noise":
            found = found[:1]
        symptom = "The number of decibels is not right."
        detail = f"asked for {right:.2f}, yours {said:.2f}"
        yield self.failed("decibels", found[0] if len(found) == 1 else None, symptom, detail=detail)


def _share(n: int) -> float:
    """How many decibels the n-th part of a noise is better than the whole."""
    return -together([0.0] * n)


def _dbs(case: Case) -> list[float]:
    """The numbers of a case; "inf" is infinity (JSON has none)."""
    return [float(db) for db in case.dbs]
