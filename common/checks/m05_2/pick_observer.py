"""Which of several observers gives the best range for what will flow through a place later."""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from common.checks.m05_2._places import observers, on_grid, place
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import NUMBER, Evidence, Recorder

if TYPE_CHECKING:
    import torch

CLOSE = 0.1
"""In dB: how far from the best a choice may be. In the places of the cases the best leads by far more than that."""

PER_CHANNEL = "per channel"


class PickObserver(Exercise):
    """pick_observer(candidates, batches, fresh): the name of the observer whose range is best for what comes later."""

    id = "m05_2.pick_observer"
    kind = "core"
    minutes = 15
    criteria = {"best for later": 3, "one scale": 1, "data left alone": 1}
    must_return = True
    parameters = ("candidates", "batches", "fresh")
    hints = (
        "No observer is best everywhere, so the answer cannot be a name that you know beforehand. Measure each of them.",
        "For each candidate: make a new observer, show it all `batches`, ask for scale and zero point, put `fresh` on this "
        "grid, and take the SQNR of the result against `fresh`.",
        "An observer with `scale.numel() > 1` is out. Of the others, `max(quality, key=quality.get)` is the name with the "
        "largest SQNR. `fresh` is never shown to an observer.",
    )
    misconceptions = {
        "same-for-all": "There is no observer that is best for every place. One large value can be a glitch that should be "
        "clipped, or a part of the signal that must not be. Only data tells.",
        "measured-on-calibration": "The batches that set a range are no test of it: a range that holds their glitch looks "
        "good on them. Measure on values that the observer has not seen.",
        "learns-while-measuring": "An observer learns from whatever flows through it, a measurement included. Show it the "
        "calibration batches only; put `fresh` on the grid without it.",
        "narrowest-wins": "What lies outside the range is lost, and this is an error like any other. Whoever looks at the "
        "steps only, or compares with a reference that is clamped as well, always finds the narrowest range best.",
        "largest-error": "The largest single error is always that of the value that was clipped most. One bad value among "
        "thousands can be the better choice: SQNR sums up over all of them.",
        "one-batch": "An observer is shown all batches, one after the other. After one of them it knows too little.",
        "all-at-once": "A moving average takes one step for each batch. With all batches in one tensor there is one step only, "
        "and it is another observer. Show the batches one after the other.",
        "another-order": "An observer that forgets, or that begins with its first batch, depends on the order of the batches. "
        "Show them in the order of the list.",
        "worst": "SQNR is signal by noise: the larger, the better.",
        "zero-point-forgotten": "The grid of an affine observer is s · (q − z). Without its zero point it is another grid.",
        "per-channel-activation": "An activation has one scale for the whole tensor: the sums of a convolution or linear run "
        "over its channels, and integers with different steps cannot be added up. Scales per channel are for weights.",
        "changes-data": "The batches belong to the caller. Clamping them hides the problem in this call only: the net "
        "will meet such values again, and nobody clamps them then.",
        "form": "The result is one of the names, the keys of `candidates`.",
    }
    public_cases = (
        Case(places=["glitch", "light", "settles"]),
        Case(places=["late", "light", "relu"], size=0.2, seed=3),
        Case(places=["channels", "light"], per_channel=True, seed=5),
        Case(places=["late"], per_channel=True, without=["histogram", "moving average"], seed=6),
    )
    facts = {
        "names": {"type": "array", "maxItems": 10, "items": {"type": "string", "maxLength": 60}},
        "sums": {"type": "array", "maxItems": 10, "items": {"type": "array", "maxItems": 60, "items": NUMBER}},
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        names: list[str] = []
        sums: list[list[float]] = []
        for kind in case.places:
            batches, fresh = place(kind, case.seed, case.get("size", 1.0))
            name = ev.call(answer, _candidates(case), batches, fresh)
            names.append(name[:60] if type(name) is str and name.isascii() else f"({type(name).__name__[:40]})")
            with ev.student("the batches were looked at afterwards"):
                sums.append([float(t.double().abs().sum()) for t in (*batches[:40], fresh)])
            ev.fact("names", names)
            ev.fact("sums", sums)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        names, size = evidence.facts["names"], case.get("size", 1.0)
        candidates = _candidates(case)
        if len(names) != len(case.places) or any(n not in candidates for n in names):
            detail = f"yours: {', '.join(names)}"
            yield Finding(
                None, False, "form", "The result is not a name of a candidate.", self.misconceptions["form"], detail
            )
            return
        tables = [_table(kind, case.seed, size, tuple(candidates)) for kind in case.places]
        yield self._best(case, names, tables)
        if PER_CHANNEL in names:
            symptom = "The chosen observer gives a scale for each channel of the activation."
            yield self.failed("one scale", "per-channel-activation", symptom)
        else:
            yield self.passed("one scale")
        wanted = [_sums(kind, case.seed, size) for kind in case.places]
        if evidence.facts["sums"] != wanted:
            yield self.failed("data left alone", "changes-data", "The caller's tensors hold other values afterwards.")
        else:
            yield self.passed("data left alone")

    def _best(self, case: Case, names: Sequence[str], tables: "Sequence[Table]") -> Finding:
        criterion = "best for later"
        eligible = [{n: v for n, v in t["right"].items() if n != PER_CHANNEL} for t in tables]
        good = [
            name in rest and rest[name] > max(rest.values()) - CLOSE for name, rest in zip(names, eligible, strict=True)
        ]
        if all(good):
            return self.passed(criterion)
        kind = next((k for k in STRATEGIES if _explains(k, names, tables)), None)
        if kind == "last-batch":
            kind = "one-batch"
        at = good.index(False)
        numbers = ", ".join(f"{name} {value:.1f} dB" for name, value in tables[at]["right"].items())
        detail = f"place “{case.places[at]}”: yours is {names[at]}; measured on `fresh`: {numbers}"
        symptoms = {
            "same-for-all": "The same observer is chosen at every place, and at one of them another is far better.",
            "per-channel-activation": "The choices are the best ones, if scales for each channel were allowed.",
        }
        symptom = symptoms.get(
            kind or "", "At one place at least, another observer is far better for the fresh values."
        )
        return self.failed(criterion, kind, symptom, detail=detail)


Table = dict[str, dict[str, float]]
"""Strategy → candidate → what that strategy looks at; the largest number wins."""

STRATEGIES = (
    "per-channel-activation",
    "same-for-all",
    "measured-on-calibration",
    "learns-while-measuring",
    "narrowest-wins",
    "all-at-once",
    "another-order",
    "zero-point-forgotten",
    "one-batch",
    "last-batch",
    "largest-error",
    "worst",
)


def _candidates(case: Case) -> dict[str, Callable[[], Any]]:
    found = observers(per_channel=case.get("per_channel", False))
    return {name: make for name, make in found.items() if name not in case.get("without", [])}


def _explains(strategy: str, names: Sequence[str], tables: Sequence[Table]) -> bool:
    if strategy == "same-for-all":
        return len(names) > 1 and len(set(names)) == 1
    return all(n in _winners(strategy, t) for n, t in zip(names, tables, strict=True))


def _winners(strategy: str, table: Table) -> set[str]:
    """What a strategy chooses at a place; more than one where it cannot tell them apart."""
    if strategy == "per-channel-activation":
        values = table["right"]
    else:
        values = {n: v for n, v in table[strategy].items() if n != PER_CHANNEL}
    return {n for n, v in values.items() if v >= max(values.values()) - 1e-9}


@lru_cache(maxsize=128)
def _sums(kind: str, seed: int, size: float) -> list[float]:
    batches, fresh = place(kind, seed, size)
    return [float(t.double().abs().sum()) for t in (*batches[:40], fresh)]


@lru_cache(maxsize=128)
def _table(kind: str, seed: int, size: float, candidates: tuple[str, ...]) -> Table:
    """What each strategy, the right one first, measures of each candidate."""
    import torch

    from common.graph_utils import sqnr

    batches, fresh = place(kind, seed, size)
    seen = torch.cat(batches)
    found: Table = {}

    def note(strategy: str, name: str, value: float) -> None:
        found.setdefault(strategy, {})[name] = value

    for name, make in observers(per_channel=PER_CHANNEL in candidates).items():
        if name not in candidates:
            continue
        scale, zero_point = _shown(make, batches)
        back = on_grid(fresh, scale, zero_point)
        note("right", name, sqnr(fresh, back))
        note("worst", name, -sqnr(fresh, back))
        note("measured-on-calibration", name, sqnr(seen, on_grid(seen, scale, zero_point)))
        note("learns-while-measuring", name, _sqnr_of(_shown(make, [*batches, fresh]), fresh))
        note("all-at-once", name, _sqnr_of(_shown(make, [seen]), fresh))
        note("another-order", name, _sqnr_of(_shown(make, batches[::-1]), fresh))
        note("one-batch", name, _sqnr_of(_shown(make, batches[:1]), fresh))
        note("last-batch", name, _sqnr_of(_shown(make, batches[-1:]), fresh))
        note("largest-error", name, -float((fresh - back).abs().max()))
        if scale.numel() == 1:
            note("zero-point-forgotten", name, sqnr(fresh, on_grid(fresh, scale, torch.zeros(1))))
            lo, hi = ((q - float(zero_point)) * float(scale) for q in (-128, 127))
            note("narrowest-wins", name, sqnr(fresh.clamp(lo, hi), back))
    return found


def _shown(make: Callable[[], Any], batches: "Sequence[torch.Tensor]") -> "tuple[torch.Tensor, torch.Tensor]":
    """Scale and zero point of a new observer after these batches."""
    observer = make()
    for batch in batches:
        observer(batch)
    return observer.calculate_qparams()


def _sqnr_of(qparams: "tuple[torch.Tensor, torch.Tensor]", fresh: "torch.Tensor") -> float:
    from common.graph_utils import sqnr

    return sqnr(fresh, on_grid(fresh, *qparams))
