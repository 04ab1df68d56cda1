"""Replace the observer of an activation by quantize and dequantize nodes."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from common.checks._nets import batches, exported
from common.checks.m02_3._qdq import (
    FACTS,
    RAISED,
    Place,
    View,
    activation_problems,
    known,
    places_of,
    raised_problem,
    record,
    run_recorded,
)
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder

if TYPE_CHECKING:
    import torch
    from torch import fx

_CRITERIA = {"replaced": "observer replaced", "qparams": "numbers", "consumers": "consumers"}


class QuantizeActivation(Exercise):
    """quantize_activation(gm, obs_node): put quantize and dequantize in the place of an observer."""

    id = "m02_3.quantize_activation"
    kind = "core"
    minutes = 20
    criteria = {"observer replaced": 1, "numbers": 2, "consumers": 1}
    parameters = ("gm", "obs_node")
    not_allowed = ("convert_pt2e", "prepare_pt2e")
    hints = (
        "Three questions: which numbers does the observer give? Which two nodes do you make with them, and what does each "
        "read? Who reads the second one?",
        "The observer is `gm.get_submodule(obs_node.target)`. Everything is asked of it: `calculate_qparams()`, "
        "`quant_min`, `quant_max`, `dtype`. Node arguments are plain numbers: `.item()`.",
        "Make quantize behind `obs_node.args[0]`, and dequantize behind quantize (`inserting_after`). Then "
        "`obs_node.replace_all_uses_with(dq)`, and at last `gm.graph.erase_node(obs_node)`.",
    )
    misconceptions = RAISED | {
        "observer-left-in": "The observer has done its work. A converted graph holds no observers: the node is erased when "
        "nobody reads it any more.",
        "reads-observer": "Quantize reads the value that was observed. If it reads the observer, the observer has to stay.",
        "not-rewired": "New nodes change nothing as long as nobody reads them. All who read the observer have to read the "
        "dequantize node.",
        "only-first-consumer": "An observer can have several readers, and all of them have to read a quantized value. To "
        "take only the first is right for a chain, and wrong at a branch.",
        "no-dequantize": "A convolution of this graph computes with floats. Between the integers and the op there has to be "
        "a dequantize node.",
        "no-quantize": "Dequantize turns integers into floats. What it reads has to be made of integers by quantize first.",
        "limits-swapped": "The order of the arguments is quant_min, quant_max. The other way round, clamp gives the same "
        "value for everything.",
        "hard-coded-range": "Integer type and limits are the observer's: it may have been built for uint8, or for fewer "
        "bits.",
        "wrong-qparams": "Scale and zero point come from the observer at this place, as `calculate_qparams()` gives them "
        "after calibration.",
        "dq-differs": "Dequantize undoes what quantize did. That needs the same scale, the same zero point, and the same "
        "limits in both.",
        "another-observer": "A graph holds many observers. The one to replace is `obs_node`; all others stay.",
        "own-attributes": "An observer keeps a range, and computes scale and zero point from it when it is asked: "
        "`scale, zero_point = observer.calculate_qparams()`.",
        "fake-quant": "A fake quant op computes the same floats, but no integers are in the graph then. A backend looks for "
        "the two ops `quantize_per_tensor` and `dequantize_per_tensor`.",
        "tensor-as-argument": "`calculate_qparams()` gives tensors. A node is a line of a program, and its arguments are "
        "numbers or other nodes: take the number out with `.item()`.",
    }
    public_cases = (
        Case(model="conv_relu", node="x", dtype="int8", quant_min=-128, quant_max=127),
        Case(model="residual", node="relu", also=["x", "conv2d_1"], dtype="int8", quant_min=-128, quant_max=127),
        Case(model="conv_relu", node="relu", dtype="uint8", quant_min=0, quant_max=255),
    )
    facts = FACTS

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        import torch

        gm = _observed(case)
        obs_node = next(n for n in gm.graph.nodes if n.name == _place(case).node)
        ev.call(answer, gm, obs_node)
        record(ev, gm)
        with ev.student("the changed graph was run"), torch.no_grad():
            gm.graph.lint()
            gm.recompile()
            ev.tensor("output", gm(*_inputs(case)))

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        found: list[Finding] = []
        if evidence.has("after"):  # the graph was changed, and does not run: the reason is in the graph
            found = list(self._structure(case, View(evidence)))
            yield from found
        problem, message = raised_problem(evidence), (evidence.exception or {}).get("message", "")
        if any(not f.passed for f in found):
            return
        if problem:
            yield self.failed("observer replaced", *problem)
        elif not evidence.has("after") and "too many values to unpack (expected 1)" in message:
            symptom = "The observer has more than one reader, and the code expects only one."
            yield self.failed("consumers", "only-first-consumer", symptom)
        elif "Observer' object has no attribute 'scale" in message or (
            "Observer' object has no attribute 'zero_point" in message
        ):
            yield self.failed("numbers", "own-attributes", "The observer has no attribute `scale` or `zero_point`.")

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        import torch

        view = View(evidence)
        findings = list(self._structure(case, view))
        yield from findings
        if all(f.passed for f in findings):
            others = [p.node for p in _others(case)]
            output = run_recorded(view, exported(case.model, case.seed), _inputs(case), others)
            wanted = _reference(case)
            if output is None or not torch.equal(output, wanted):
                symptom = "The nodes are in place, but the changed graph computes something else than it should."
                yield self.failed("consumers", None, symptom)

    def _structure(self, case: Case, view: View) -> Iterator[Finding]:
        place = _place(case)
        found = {}
        if not {p.node for p in _others(case)} <= set(view.observers()):
            symptom = "Another observer than `obs_node` was replaced."
            found["observer replaced"] = self.failed(
                "observer replaced", "another-observer", symptom, graph="after", mark=(place.node,)
            )
        for problem in activation_problems(view, place):
            name = _CRITERIA[problem.part]
            kind = known(problem.kind, self.misconceptions)
            more = self.failed(name, kind, problem.symptom, detail=problem.detail, graph="after", mark=problem.mark)
            found.setdefault(name, more)
        if view.still_observes(place) and "observer replaced" not in found:
            symptom = "The observer is still in the graph."
            found["observer replaced"] = self.failed(
                "observer replaced", "observer-left-in", symptom, graph="after", mark=(place.node,)
            )
        ops = [op for n in view.graph.nodes if (op := view.op(n.name)) is not None]
        if not ops:
            symptom = "There is no quantize and no dequantize node in the graph."
            fake = any("fake_quantize" in n.target for n in view.graph.nodes)
            for name in ("observer replaced", "numbers"):
                found.setdefault(name, self.failed(name, "fake-quant" if fake else None, symptom))
        elif "consumers" in found and "numbers" not in found:
            # Nobody reads the new nodes as they should; their numbers can be right all the same.
            right = all(op.limits == place.limits and not op.raw_tensor for op in ops)
            if not right:
                found["numbers"] = self.failed("numbers", None, "The numbers of the new nodes are not the observer's.")
        for name in self.criteria:
            yield found.get(name, self.passed(name))


def _inputs(case: Case) -> "tuple[torch.Tensor]":
    from common.models import example_inputs

    return example_inputs(batch=3, seed=case.seed + 1)


def _observed(case: Case) -> "fx.GraphModule":
    """An exported net with a calibrated observer behind a node, and others behind the nodes `also`."""
    import torch

    from common.graph_utils import splice
    from common.pt2e import MinMaxObserver

    gm = exported(case.model, case.seed)
    for i, name in enumerate((case.node, *(case.get("also") or ()))):
        observer = MinMaxObserver(
            dtype=getattr(torch, case.dtype), quant_min=case.quant_min, quant_max=case.quant_max, eps=2**-12
        )
        node = next(n for n in gm.graph.nodes if n.name == name)
        splice(gm, node, observer, f"observer_{i}" if i else "observer")
    gm.recompile()
    with torch.no_grad():
        for batch in batches(case.seed):
            gm(*batch)
    return gm


def _place(case: Case) -> Place:
    return next(p for p in places_of(_observed(case)) if p.producer == case.node)


def _others(case: Case) -> list[Place]:
    return [p for p in places_of(_observed(case)) if p.producer != case.node]


def _reference(case: Case) -> "torch.Tensor":
    """What the net computes with quantize and dequantize at this place: by hooking the value, not by changing the graph."""
    import torch
    from torch import fx

    place, ops = _place(case), torch.ops.quantized_decomposed
    scale, zero_point = float(place.scale), int(place.zero_point)
    numbers = (scale, zero_point, *place.limits, place.observer.dtype)

    class Quantizing(fx.Interpreter):
        def run_node(self, n: fx.Node) -> Any:
            value = super().run_node(n)
            if n.name == case.node:
                return ops.dequantize_per_tensor(ops.quantize_per_tensor(value, *numbers), *numbers)
            return value

    with torch.no_grad():
        return Quantizing(exported(case.model, case.seed)).run(*_inputs(case))
