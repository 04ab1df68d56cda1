"""Replace the observer of a weight by a stored int8 constant and a dequantize node."""

import copy
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from common.checks._nets import batches, exported
from common.checks.m02_3._qdq import (
    FACTS,
    RAISED,
    Place,
    View,
    known,
    places_of,
    raised_problem,
    record,
    run_recorded,
    weight_problems,
)
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder

if TYPE_CHECKING:
    import torch
    from torch import fx

_CRITERIA = {"constant": "constant", "qparams": "dequantize", "consumers": "observer replaced"}


class QuantizeWeight(Exercise):
    """quantize_weight(gm, obs_node): store an observed weight as integers, with a dequantize node behind it."""

    id = "m02_3.quantize_weight"
    kind = "practice"
    minutes = 20
    criteria = {"constant": 2, "dequantize": 1, "observer replaced": 1}
    parameters = ("gm", "obs_node")
    not_allowed = ("convert_pt2e", "prepare_pt2e", "constant_fold", "_fold_all_quantize_ops")
    hints = (
        "Compute the integers first, outside of the graph: weight, scales, zero points, axis and limits are all there. Then "
        "think of the graph: which tensors does it need, and which nodes read them?",
        "`torch.ops.quantized_decomposed.quantize_per_channel(weight, scales, zero_points, axis, quant_min, quant_max, "
        "dtype)` can be called with tensors, here and now. Three results become buffers: integers, scales, zero points.",
        "`gm.register_buffer(name, tensor)`, then `gm.graph.get_attr(name)` for each of the three, then call_function "
        "`dequantize_per_channel.default` with these nodes; all in front of `obs_node`. At last rewire and erase.",
    )
    misconceptions = {k: v for k, v in RAISED.items() if k != "self-loop"} | {
        "observer-left-in": "The observer has done its work. The node is erased when nobody reads it any more.",
        "not-rewired": "New nodes change nothing as long as nobody reads them. The op has to read the dequantize node.",
        "no-dequantize-of-weight": "The op computes with floats, so a dequantize node stands between the stored integers and "
        "the op. A float weight with rounded values would compute the same, and would be as large as before.",
        "not-stored": "A weight is known when you convert, so it can be quantized at once. With a quantize node in the graph, "
        "the float weight has to be kept, and the same work is done in every run.",
        "float-constant": "A float tensor that holds whole numbers takes four bytes for each of them. What is stored has the "
        "observer's integer type.",
        "wide-constant": "The integers fit into the observer's type: int8 takes one byte for each. int32, or int64, is as "
        "large as the float weight or larger.",
        "one-scale": "The observer has a scale for each channel. With the first one, or with the largest, for all of them, "
        "the other channels come out wrong.",
        "wrong-axis": "`ch_axis` of the observer says along which axis the scales lie. It is not always 0.",
        "hard-coded-range": "Integer type and limits are the observer's. Weights mostly stop at -127, and there may be fewer "
        "bits.",
        "truncated": "`.to(torch.int8)` cuts off the digits. It has to be rounded before.",
        "wrong-qparams": "Scales and zero points come from the observer at this place, as `calculate_qparams()` gives them.",
        "swapped": "`calculate_qparams()` gives the scales first, then the zero points, and the ops take them in this order.",
        "not-registered": "A get_attr node is only a name. `register_buffer` puts the tensor itself into the module, under "
        "the same name.",
        "name-with-a-dot": "A dot in a name means: look inside of a submodule. A buffer of `gm` itself has a name without "
        "dots: `target.replace('.', '_')`.",
        "parameter-of-integers": "A Parameter is something to train, so it has to be a float tensor. Integers are stored as a "
        "buffer.",
        "one-name-for-all": "`register_buffer` under a name that is in use replaces the tensor that was there: then two ops "
        "read the same weight. Each weight needs names of its own, such as `obs_node.name + '_weight'`.",
        "another-observer": "A graph holds many observers. The one to replace is `obs_node`; all others stay.",
        "tensor-as-argument": "A node is a line of a program. A tensor cannot stand in it: store it in the module, and let a "
        "get_attr node read it.",
    }
    public_cases = (
        Case(model="conv_relu", node="conv_weight", axis=0, quant_min=-127, quant_max=127),
        Case(
            model="linear_relu",
            node="fc_b_weight",
            also=["fc_a_weight"],
            all=True,
            axis=0,
            quant_min=-127,
            quant_max=127,
        ),
        Case(model="conv_relu", node="conv_weight", axis=1, quant_min=-7, quant_max=7),
    )
    facts = FACTS

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        import torch

        gm = _observed(case)
        nodes = {n.name: n for n in gm.graph.nodes}
        for place in _asked(case):
            ev.call(answer, gm, nodes[place.node])
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
        elif "elements cannot be converted to Scalar" in message:
            yield self.failed(
                "dequantize", "one-scale", "`.item()` takes one number, and there is one for each channel."
            )
        elif "buffer name can't contain" in message.replace("\\", ""):
            yield self.failed("constant", "name-with-a-dot", "The name of a buffer holds a dot.")
        elif "Only Tensors of floating point and complex dtype can require gradients" in message:
            yield self.failed("constant", "parameter-of-integers", "Integers were to become a Parameter.")
        elif not evidence.has("after") and "must match the size of tensor" in message:
            symptom = "Weight and scales do not fit together: the scales lie along another axis, or along none."
            yield self.failed("constant", "wrong-axis", symptom)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        import torch

        view = View(evidence)
        findings = list(self._structure(case, view))
        yield from findings
        if all(f.passed for f in findings):
            others = {p.node for p in _places(case)} - {p.node for p in _asked(case)}
            output = run_recorded(view, exported(case.model, case.seed), _inputs(case), others)
            if output is None or not torch.equal(output, _reference(case, view)):
                symptom = "The nodes are in place, but the changed graph computes something else than it should."
                yield self.failed("observer replaced", None, symptom)

    def _structure(self, case: Case, view: View) -> Iterator[Finding]:
        asked, found, targets = _asked(case), {}, []
        others = {p.node for p in _places(case)} - {p.node for p in asked}
        if not others <= set(view.observers()):
            symptom = "Another observer than `obs_node` was replaced."
            found["observer replaced"] = self.failed(
                "observer replaced", "another-observer", symptom, graph="after", mark=(asked[0].node,)
            )
        for place in asked:
            for problem in weight_problems(view, place, _weight(case, place), folded=True):
                name, kind = _CRITERIA[problem.part], known(problem.kind, self.misconceptions)
                more = self.failed(name, kind, problem.symptom, detail=problem.detail, graph="after", mark=problem.mark)
                found.setdefault(name, more)
            if view.still_observes(place) and "observer replaced" not in found:
                symptom = "The observer is still in the graph."
                found["observer replaced"] = self.failed(
                    "observer replaced", "observer-left-in", symptom, graph="after", mark=(place.node,)
                )
            targets.append(_stored_as(view, place))
        stored = [target for target in targets if target]
        if len(stored) > len(set(stored)):
            symptom = "The function was called for two weights of one graph, and both ops read the same stored tensor."
            found["constant"] = self.failed("constant", "one-name-for-all", symptom, detail=stored[0])
        if "observer replaced" in found and not any(view.op(n.name) for n in view.graph.nodes):
            symptom = "There is no dequantize node in the graph."
            for name in ("constant", "dequantize"):
                found.setdefault(name, self.failed(name, None, symptom))
        for name in self.criteria:
            yield found.get(name, self.passed(name))


def _inputs(case: Case) -> "tuple[torch.Tensor]":
    from common.models import example_inputs

    return example_inputs(batch=3, seed=case.seed + 1)


def _node(gm: "fx.GraphModule", name: str) -> "fx.Node":
    return next(n for n in gm.graph.nodes if n.name == name)


def _weight(case: Case, place: Place) -> "torch.Tensor":
    gm = exported(case.model, case.seed)
    return gm.get_parameter(str(_node(gm, place.producer).target)).detach()


def _stored_as(view: View, place: Place) -> str | None:
    """The name of the stored tensor that a weight's reader reads through its dequantize node."""
    reader, at = place.readers[0]
    inputs = view.graph.by_name[reader].inputs if reader in view.graph.by_name else []
    dq = view.op(inputs[at]) if at < len(inputs) else None
    return view.graph.by_name[dq.source].target if dq and view.constant(dq.source) is not None else None


def _observed(case: Case) -> "fx.GraphModule":
    """An exported net with a calibrated per-channel observer at a weight, and others at the weights `also`."""
    import torch

    from common.graph_utils import splice
    from common.pt2e import PerChannelMinMaxObserver

    gm = exported(case.model, case.seed)
    for i, name in enumerate((case.node, *(case.get("also") or ()))):
        observer = PerChannelMinMaxObserver(
            ch_axis=case.axis,
            dtype=torch.int8,
            qscheme=torch.per_channel_symmetric,
            quant_min=case.quant_min,
            quant_max=case.quant_max,
            eps=2**-12,
        )
        splice(gm, _node(gm, name), observer, f"observer_{i}" if i else "observer")
    gm.recompile()
    with torch.no_grad():
        for batch in batches(case.seed, n=1):
            gm(*batch)
    return gm


def _places(case: Case) -> list[Place]:
    return places_of(_observed(case))


def _asked(case: Case) -> list[Place]:
    """The places for which the answer is called: that of `node`, and with `all` the others too, one after the other."""
    places = _places(case)
    first = [p for p in places if p.producer == case.node]
    return [*first, *(p for p in places if p not in first)] if case.get("all") else first


def _reference(case: Case, view: View) -> "torch.Tensor":
    """What the net computes with the stored integers (already found right: at a tie either neighbour) as its weights."""
    import torch

    gm = copy.deepcopy(exported(case.model, case.seed))
    for place in _asked(case):
        reader, at = place.readers[0]
        dq = view.op(view.graph.by_name[reader].inputs[at])
        stored = view.constant(dq.source) if dq else None
        if stored is None:
            return torch.empty(0)
        scales, zeros = place.observer.calculate_qparams()
        numbers = (scales, zeros, case.axis, *place.limits, torch.int8)
        weight = torch.ops.quantized_decomposed.dequantize_per_channel(stored, *numbers)
        gm.get_parameter(str(_node(gm, place.producer).target)).data.copy_(weight)
    with torch.no_grad():
        return gm(*_inputs(case))
