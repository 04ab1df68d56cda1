"""How good a quantized net is, by the number of pictures its observers were shown."""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from common.checks._nets import exported
from common.checks.m05_2._places import minmax_quantizer
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import NUMBER, Evidence, Recorder
from common.exercise.graphs import GRAPH, GraphFacts, graph_facts

if TYPE_CHECKING:
    import torch

TOLERANCE = 0.1
"""In dB. Pictures in batches of another size give results that differ in the last digits, and rarely a rounding."""

HIGH = 70
"""In dB: more than int8 activations leave of any net here; a graph with observers computes what the float graph does."""


class CalibrationCurve(Exercise):
    """calibration_curve(gm, quantizer, pictures, sizes, x): SQNR of the quantized net against calibration pictures."""

    id = "m05_2.calibration_curve"
    kind = "core"
    minutes = 20
    criteria = {"decibels": 4, "graph left alone": 2}
    must_return = True
    parameters = ("gm", "quantizer", "pictures", "sizes", "x")
    hints = (
        "A loop over `sizes`. In each turn the four steps begin again: a copy of the graph, prepare, calibrate, convert. "
        "Then measure.",
        "`prepare_pt2e(copy.deepcopy(gm), quantizer)` gives observers that know nothing yet, and leaves `gm` as it is. "
        "Calibrate with `pictures[:n]`.",
        "After `convert_pt2e`, and under `torch.no_grad()`: `sqnr(gm(x), converted(x))`. `x` flows through the "
        "*converted* graph only.",
    )
    misconceptions = {
        "reused-prepared": "Observers remember. If one prepared graph is used for all sizes, each point of the curve has seen "
        "what came before it too. Each size needs a fresh prepared graph.",
        "measured-on-calibration": "The pictures that set the ranges are no test of them: all their values fit. The curve is "
        "about pictures that the observers have not seen.",
        "learns-while-measuring": "The prepared graph learns from every forward. If `x` flows through it before convert, `x` "
        "is a calibration picture.",
        "not-converted": "In a prepared graph nothing is rounded: its observers only watch. Convert it before you measure.",
        "accuracy": "How often the largest output is the same, or the class right, hardly changes while the outputs move "
        "far. The curve is in dB: the SQNR of the outputs.",
        "swapped": "The first argument of `sqnr` is the reference: the float graph.",
        "all-pictures": "Each point of the curve has its own number of pictures: the first n of them.",
        "sorted": "The numbers belong to `sizes`, one by one, in the order in which they are given.",
        "other-pictures": "The sets are nested: always the *first* n pictures. With other pictures for each size, the curve "
        "shows their luck as well.",
        "whole-batches": "n is a number of pictures, not of batches, and the last batch ends with picture n: cut "
        "`pictures[:n]` into batches.",
        "uncalibrated": "`convert_pt2e` is silent about observers that have seen nothing. Calibration is the forward of the "
        "prepared graph with pictures.",
        "same-graph": "`prepare_pt2e` and `convert_pt2e` change the graph that they are given. Hand over a copy: "
        "`copy.deepcopy(gm)`.",
        "form": "The result is a list with one number of decibels for each of `sizes`, in their order.",
    }
    public_cases = (
        Case(model="residual", sizes=[12, 2, 6], n=16),
        Case(model="pool_chain", sizes=[1, 8, 3, 16], n=20, seed=4),
    )
    facts = {
        "curve": {"type": "array", "maxItems": 20, "items": NUMBER},
        "form": {"type": "string", "maxLength": 200},
        "after": GRAPH,
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        import torch

        gm = exported(case.model, case.seed)
        try:
            returned = ev.call(
                answer, gm, minmax_quantizer(), _pictures(case.seed, case.n), list(case.sizes), _x(case.seed)
            )
        finally:
            ev.graph("after", gm)
        if isinstance(returned, torch.Tensor):
            returned = returned.detach().tolist()
        if isinstance(returned, (str, bytes, Mapping)) or not hasattr(returned, "__len__"):
            ev.fact("form", f"it is a {type(returned).__name__[:60]}")
            return
        with ev.student("the numbers of the result were read"):
            ev.fact("curve", [float(value) for value in list(returned)[:20]])

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        if evidence.has("after") and not _unchanged(case, evidence):
            symptom = "The caller's graph holds other nodes than before."
            yield self.failed("graph left alone", "same-graph", symptom)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        if evidence.has("form") or len(evidence.facts["curve"]) != len(case.sizes):
            detail = evidence.facts.get("form") or f"it has {len(evidence.facts['curve'])} entries"
            yield Finding(
                None,
                False,
                "form",
                "The result is not a list with a number for each size.",
                self.misconceptions["form"],
                detail,
            )
            return
        unchanged = _unchanged(case, evidence)
        yield self._decibels(case, evidence.facts["curve"], unchanged)
        if unchanged:
            yield self.passed("graph left alone")
        else:
            yield self.failed("graph left alone", "same-graph", "The caller's graph holds other nodes than before.")

    def _decibels(self, case: Case, curve: Sequence[float], unchanged: bool) -> Finding:
        criterion = "decibels"
        curves = _curves(case.model, case.seed, case.n, tuple(case.sizes))
        right = curves["right"]
        if _near(curve, right):
            return self.passed(criterion)
        detail = "; ".join(
            f"{n} pictures: yours {a:.2f}, wanted {b:.2f}" for n, a, b in zip(case.sizes, curve, right, strict=True)
        )
        kind = next((k for k, wrong in curves.items() if k != "right" and _near(curve, wrong)), None)
        if all(value > HIGH for value in curve):
            kind = "not-converted"
        elif kind is None and all(0 <= value <= 1 for value in curve):
            kind = "accuracy"
        elif kind is None and not unchanged:
            kind = "same-graph"
        symptoms = {
            "not-converted": "The decibels are those of a graph in which nothing is rounded.",
            "accuracy": "All numbers lie between 0 and 1: these are shares, and no decibels.",
            "same-graph": "The decibels are wrong, and the caller's graph has been changed.",
        }
        symptom = symptoms.get(kind or "", "The decibels are not those of nets calibrated with the first n pictures.")
        return self.failed(criterion, (kind or "").partition(":")[0] or None, symptom, detail=detail)


def _near(a: Sequence[float], b: Sequence[float]) -> bool:
    return len(a) == len(b) and all(x == y or abs(x - y) < TOLERANCE for x, y in zip(a, b, strict=True))


def _unchanged(case: Case, evidence: Evidence) -> bool:
    before, after = GraphFacts(graph_facts(exported(case.model, case.seed))), evidence.graph("after")
    return [(n.name, n.op, n.target, n.args) for n in before.nodes] == [
        (n.name, n.op, n.target, n.args) for n in after.nodes
    ]


def _pictures(seed: int, n: int) -> "torch.Tensor":
    """n pictures of different contrast, a dark one first and the widest one last."""
    import torch

    generator = torch.Generator().manual_seed(seed + 17)
    contrast = torch.linspace(0.3, 1.5, n) + 0.3 * torch.rand(n, generator=generator)
    return torch.randn(n, 3, 16, 16, generator=generator) * contrast.reshape(-1, 1, 1, 1)


def _x(seed: int) -> "torch.Tensor":
    import torch

    return torch.randn(8, 3, 16, 16, generator=torch.Generator().manual_seed(seed + 18))


@lru_cache(maxsize=32)
def _curves(model: str, seed: int, n: int, sizes: tuple[int, ...]) -> dict[str, list[float]]:
    """The right curve, and those that come out by a mistake."""
    import torch

    from common.graph_utils import sqnr
    from common.pt2e import convert_pt2e, prepare_pt2e

    gm, pictures, x = exported(model, seed), _pictures(seed, n), _x(seed)

    def after(*shown: "torch.Tensor") -> Any:
        prepared = prepare_pt2e(exported(model, seed), minmax_quantizer())
        for batch in shown:
            prepared(batch)
        return convert_pt2e(prepared)

    with torch.no_grad():
        reference = gm(x)
        nets = {size: after(pictures[:size]) for size in {*sizes}}
        out = {size: net(x) for size, net in nets.items()}
        right = {size: sqnr(reference, y) for size, y in out.items()}
        reached = [max(sizes[: i + 1]) for i in range(len(sizes))]
        starts = [sum(sizes[:i]) for i in range(len(sizes))]
        windows = [pictures[a : a + size] for a, size in zip(starts, sizes, strict=True)]
        found = {
            "right": [right[size] for size in sizes],
            "sorted": [right[size] for size in sorted(sizes)],
            "reused-prepared": [right[size] for size in reached],
            "measured-on-calibration": [sqnr(gm(pictures[:s]), nets[s](pictures[:s])) for s in sizes],
            "learns-while-measuring": [sqnr(reference, after(pictures[:s], x)(x)) for s in sizes],
            "swapped": [sqnr(out[s], reference) for s in sizes],
            "all-pictures": [sqnr(reference, after(pictures)(x))] * len(sizes),
            "other-pictures": [sqnr(reference, after(pictures[-s:])(x)) for s in sizes],
            "whole-batches:2": [sqnr(reference, after(pictures[: 2 * s])(x)) for s in sizes],
            "whole-batches:4": [sqnr(reference, after(pictures[: 4 * s])(x)) for s in sizes],
            "whole-batches:rounded": [sqnr(reference, after(pictures[: -(-s // 8) * 8])(x)) for s in sizes],
            "uncalibrated": [sqnr(reference, after()(x))] * len(sizes),
        }
        if all(len(window) for window in windows):
            found["other-pictures:next"] = [sqnr(reference, after(w)(x)) for w in windows]
        learnt = [after(*(t for s in sizes[: i + 1] for t in (pictures[:s], x))) for i in range(len(sizes))]
        found["reused-prepared:and-x"] = [sqnr(reference, net(x)) for net in learnt]
    return {k: [v if math.isfinite(v) else math.inf for v in values] for k, values in found.items()}
