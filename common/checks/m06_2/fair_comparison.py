"""What QAT gains over a control that was trained as long, with the same data, for every net."""

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import NUMBER, Evidence, Recorder

if TYPE_CHECKING:
    from common.qat import CurveNet, Pairs

_CALL = {
    "type": "object",
    "required": ["kind", "data", "steps"],
    "properties": {
        "kind": {"enum": ["fine_tune", "ptq", "qat", "score"]},
        "data": {"enum": ["train", "test", "other"]},
        "steps": {"type": "integer"},
    },
}

TOLERANCE = 0.02
"""dB. The same calls give the same bits; this is for the order of a subtraction only."""


class FairComparison(Exercise):
    """fair_comparison(tools, nets, train, test, steps): what QAT gains in dB over a fair control, for each net."""

    id = "m06_2.fair_comparison"
    kind = "core"
    minutes = 20
    criteria = {"every net": 1, "data": 2, "control": 3}
    must_return = True
    parameters = ("tools", "nets", "train", "test", "steps")
    not_allowed = ("fit", "qat_graph", "ptq_graph", "Tools")
    hints = (
        "For each net two models are compared. What may be different between the two, and what must not be?",
        "The control is trained as long as QAT, on the same data, in float; then it is quantized without training.",
        "control = `tools.ptq(tools.fine_tune(net, train, steps), train)`; the gain of this net is the score of "
        "`tools.qat(net, train, steps)` minus the score of the control, both on `test`.",
    )
    misconceptions = {
        "untrained-control": "QAT has had `steps` more steps of training than this control. What looks like a gain of QAT may be "
        "nothing but the longer training.",
        "float-control": "The control of this comparison is not quantized. The question is not what quantization costs, but "
        "which way to a quantized net is the better one.",
        "qat-had-more": "QAT began here where the control ended, so it was trained for twice as many steps. Both begin with the "
        "net that was given.",
        "test-data": "Whoever trains or calibrates with the test data measures what was learned by heart. Test data are for "
        "the last measurement only.",
        "scored-on-train": "A net knows the points that it was trained on, their noise included. What counts is the score on "
        "data that it has not seen.",
        "other-steps": "Both have to be trained for the number of steps that is given.",
        "one-seed": "One net is one throw of the dice. The answer needs a gain for every net, so that the spread can be seen.",
        "mean-only": "The mean of the gains hides their spread: a mean of 1 dB is something else when the gains go from 0.8 to "
        "1.2 than when they go from −5 to 7.",
        "wrong-way-round": "The gain of QAT is its score minus that of the control: positive where QAT is better.",
    }
    public_cases = (Case(bits=3, nets=[11, 12], steps=30, points=64),)
    facts = {
        "is_list": {"type": "boolean"},
        "type": {"type": "string"},
        "gains": {"type": "array", "items": NUMBER, "maxItems": 50},
        "calls": {"type": "array", "items": _CALL, "maxItems": 200},
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        import numpy as np
        import torch

        train, test = _data(case)
        tools = _watched(case, train, test)
        returned = ev.call(answer, tools, _nets(case), train, test, case.steps)
        ev.fact("calls", tools.calls[:200])
        ev.fact("type", "a number" if _is_number(returned) else type(returned).__name__[:100])
        if isinstance(returned, (torch.Tensor, np.ndarray)):
            returned = returned.tolist()
        ev.fact("is_list", isinstance(returned, (list, tuple)))
        if isinstance(returned, (list, tuple)):
            with ev.student("the gains were read as numbers"):
                ev.fact("gains", [float(v) for v in list(returned)[:50]])

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        facts = evidence.facts
        if not facts["is_list"]:
            kind = "mean-only" if facts["type"] == "a number" else None
            symptom, detail = "The function does not return a list of gains.", f"it returns: {facts['type']}"
            yield self.failed("every net", kind, symptom, detail=detail)
            return
        said = facts["gains"]
        if len(said) != len(case.nets):
            symptom = "The list does not hold one gain for each net."
            detail = f"yours: {len(said)}, nets: {len(case.nets)}"
            yield self.failed("every net", "one-seed", symptom, detail=detail)
            return
        yield self.passed("every net")
        if _like(said, _gains(case, "right")):
            yield from (self.passed("data"), self.passed("control"))
            return
        yield from self._explain(case, facts["calls"], said)

    def _explain(self, case: Case, calls: list[dict[str, Any]], said: list[float]) -> Iterator[Finding]:
        detail = f"yours: {_told(said)}; wanted: {_told(_gains(case, 'right'))}"
        symptom = "The gains are not those over a control that was trained as long."
        if any(c["data"] != "train" for c in calls if c["kind"] != "score"):
            data = "Something was trained or calibrated on other data than the training data."
            yield self.failed("data", "test-data", data)
            yield self.failed("control", "test-data", symptom, detail=detail)
            return
        if any(c["data"] != "test" for c in calls if c["kind"] == "score"):
            data = "Something was scored on other data than the test data."
            yield self.failed("data", "scored-on-train", data)
            yield self.failed("control", "scored-on-train", symptom, detail=detail)
            return
        yield self.passed("data")
        if any(c["steps"] != case.steps for c in calls if c["kind"] in ("fine_tune", "qat")):
            yield self.failed("control", "other-steps", symptom, detail=detail)
            return
        kinds = ("untrained-control", "float-control", "float-control:untrained", "qat-had-more", "wrong-way-round")
        kind = next((k for k in kinds if _like(said, _gains(case, k))), None)
        yield self.failed("control", kind and kind.partition(":")[0], symptom, detail=detail)


def _is_number(returned: Any) -> bool:
    """A number, or an array of no dimension."""
    import numpy as np
    import torch

    return isinstance(returned, (int, float, np.number)) or (
        isinstance(returned, (torch.Tensor, np.ndarray)) and returned.ndim == 0
    )


def _told(values: list[float]) -> str:
    return ", ".join(f"{v:+.2f} dB" for v in values)


def _like(a: list[float], b: list[float]) -> bool:
    return len(a) == len(b) and all(abs(p - q) <= TOLERANCE for p, q in zip(a, b, strict=True))


def _data(case: Case) -> "tuple[Pairs, Pairs]":
    from common.qat import curve, curve_grid

    return curve(case.points, seed=case.seed + 50), curve_grid(101)


def _nets(case: Case) -> "list[CurveNet]":
    return [_net(seed, case.points, case.seed) for seed in case.nets]


def _net(seed: int, points: int, data_seed: int) -> "CurveNet":
    import copy

    return copy.deepcopy(_net_once(seed, points, data_seed))


@lru_cache(maxsize=32)
def _net_once(seed: int, points: int, data_seed: int) -> "CurveNet":
    """A net that is not trained to its end: more training still helps it, quantized or not."""
    import torch

    from common.qat import CurveNet, curve, fit

    torch.manual_seed(seed)
    net = CurveNet()
    fit(net, curve(points, seed=data_seed + 50), 60, 0.01)
    return net.eval()


def _watched(case: Case, train: "Pairs", test: "Pairs") -> Any:
    """The tools of the lesson, which write down what they are called with."""
    from common.qat import Tools

    class Watched(Tools):
        def __init__(self) -> None:
            super().__init__(case.bits)
            self.calls: list[dict[str, Any]] = []

        def _note(self, kind: str, data: Any, steps: Any = 0) -> None:
            which = "train" if data is train else "test" if data is test else _which(data, train, test)
            self.calls.append({"kind": kind, "data": which, "steps": int(steps)})

        def fine_tune(self, net: Any, data: Any, steps: int) -> Any:
            self._note("fine_tune", data, steps)
            return super().fine_tune(net, data, steps)

        def ptq(self, net: Any, data: Any) -> Any:
            self._note("ptq", data)
            return super().ptq(net, data)

        def qat(self, net: Any, data: Any, steps: int) -> Any:
            self._note("qat", data, steps)
            return super().qat(net, data, steps)

        def score(self, model: Any, data: Any) -> float:
            self._note("score", data)
            return super().score(model, data)

    return Watched()


def _which(data: Any, train: "Pairs", test: "Pairs") -> str:
    """The same points in another tuple are the same data."""
    import torch

    for name, known in (("train", train), ("test", test)):
        if len(data) == 2 and all(torch.equal(a, b) for a, b in zip(data, known, strict=True)):
            return name
    return "other"


def _gains(case: Case, way: str) -> list[float]:
    return [_gain(case.bits, seed, case.steps, case.points, case.seed, way) for seed in case.nets]


@lru_cache(maxsize=128)
def _gain(bits: int, seed: int, steps: int, points: int, data_seed: int, way: str) -> float:
    """The gain of one net, computed in the right way or with a known mistake."""
    from common.qat import Tools

    case = Case(bits=bits, nets=[seed], steps=steps, points=points, seed=data_seed)
    tools, (train, test) = Tools(bits), _data(case)
    (net,) = _nets(case)
    tuned = tools.fine_tune(net, train, steps)
    qat = tools.score(tools.qat(tuned if way == "qat-had-more" else net, train, steps), test)
    control = {
        "untrained-control": lambda: tools.ptq(net, train),
        "float-control": lambda: tuned,
        "float-control:untrained": lambda: net,
    }.get(way, lambda: tools.ptq(tuned, train))()
    gain = qat - tools.score(control, test)
    return -gain if way == "wrong-way-round" else gain
