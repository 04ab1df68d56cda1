"""The whole conversion by hand, compared with convert_pt2e by what both graphs compute."""

import copy
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from common.checks._nets import batches, exported
from common.checks.m02_3._qdq import (
    FACTS,
    RAISED,
    Place,
    Problem,
    View,
    activation_problems,
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


class HandConvert(Exercise):
    """hand_convert(prepared): turn a calibrated graph into a Q/DQ graph, as convert_pt2e does."""

    id = "m02_3.hand_convert"
    kind = "core"
    minutes = 20
    criteria = {"no observers left": 1, "activations": 2, "weights": 1, "same output": 2}
    must_return = True
    parameters = ("prepared",)
    not_allowed = ("convert_pt2e", "_convert_to_reference_decomposed_fx", "prepare_pt2e")
    hints = (
        "Go through the observers one after the other. At each, decide whether it watches a weight or an activation, and do "
        "what you did in the two exercises before.",
        "`observer_nodes(prepared)` gives (node, observer) for every place. A weight is a get_attr node: "
        "`node.args[0].op`. Several places can share one observer object: go by places, not by objects.",
        "Names of buffers must differ from weight to weight. Erase each observer node after its readers were moved. At the "
        "end `recompile()`, and return the graph.",
    )
    misconceptions = RAISED | {
        "observer-left-in": "A converted graph holds no observers. Each of the nodes is replaced and erased.",
        "place-skipped": "Every observed value goes through quantize and dequantize. An observer that is only taken out leaves "
        "a float value at its place.",
        "shared-done-once": "One observer object can stand at several places. Each place is a node of its own, and each "
        "needs its q and dq.",
        "only-first-consumer": "An observer can have several readers, and all of them have to read a quantized value.",
        "wrong-qparams": "Each place has the scale and zero point of its own observer. Matched by order, or all taken from one "
        "observer, the counts are right and the numbers wrong.",
        "hard-coded-range": "Integer type and limits are those of the observer at this place. Weights stop at -127.",
        "tensor-as-argument": "A node is a line of a program, and its arguments are numbers or other nodes: `.item()` for a "
        "number, a buffer and a get_attr node for a tensor.",
        "one-scale": "A weight observer has a scale for each channel. The first one alone is right for one channel.",
        "no-dequantize-of-weight": "The op reads its weight through a dequantize node; the weight is stored as integers.",
        "float-constant": "A float tensor that holds whole numbers takes four bytes for each of them. What is stored has the "
        "observer's integer type.",
        "one-name-for-all": "`register_buffer` under a name that is in use replaces the tensor that was there. Each weight "
        "needs a name of its own.",
        "every-module": "A `call_module` node calls any module: `_guards_fn`, which only checks shapes, is one too. "
        "`observer_nodes` gives those that call an observer.",
        "fake-quant": "A fake quant op computes the same floats, but no integers are in the graph then. A backend looks for "
        "quantize and dequantize.",
        "no-recompile": "The graph was changed, but `forward` is generated code. Until `recompile()` it is the old code, "
        "with the observers in it.",
        "not-a-graph": "The caller goes on with what the function returns: the GraphModule.",
    }
    public_cases = (Case(model="conv_relu"), Case(model="residual"), Case(model="pool_chain"))
    facts = FACTS | {"is_graph_module": {"type": "boolean"}}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        import torch
        from torch import fx

        returned = ev.call(answer, _prepared(case.model, case.seed))
        ev.fact("is_graph_module", isinstance(returned, fx.GraphModule))
        if not isinstance(returned, fx.GraphModule):
            return
        record(ev, returned)
        with ev.student("the converted graph was run"), torch.no_grad():
            ev.tensor("output", returned(*_inputs(case)))

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        problem = raised_problem(evidence)
        if problem and not evidence.has("after"):
            yield self.failed("no observers left", *problem)
        elif "'GuardsFn' object has no attribute" in (evidence.exception or {}).get("message", ""):
            symptom = "A module that is no observer was taken for one."
            yield self.failed("no observers left", "every-module", symptom)
        if not evidence.has("after"):
            return
        view = View(evidence).named_like(_prepared(case.model, case.seed))
        findings = list(self._structure(case, view))
        yield from findings
        if not all(f.passed for f in findings):
            return
        if problem:
            yield self.failed("same output", *problem)
        elif run_recorded(view, _prepared(case.model, case.seed), _inputs(case)) is not None:
            # the graph is right, and what ran was something else
            symptom = "The graph is right, but the module does not run: its code is not the code of this graph."
            yield self.failed("same output", "no-recompile", symptom)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        import torch

        if not evidence.facts["is_graph_module"]:
            symptom = "The function does not return a GraphModule."
            yield Finding(None, False, "not-a-graph", symptom, self.misconceptions["not-a-graph"])
            return
        view = View(evidence).named_like(_prepared(case.model, case.seed))
        findings = {f.criterion: f for f in self._structure(case, view)}
        output = None if view.observers() else run_recorded(view, _prepared(case.model, case.seed), _inputs(case))
        equal = output is not None and torch.equal(output, _reference(case, view))
        if equal and findings["weights"].passed:
            # Equal numbers from another graph are right too, whatever its q/dq nodes look like.
            findings = {name: self.passed(name) for name in findings}
        yield from findings.values()
        if not equal:
            yield self.failed("same output", None, "The graph computes something else than that of convert_pt2e.")
        elif output is None or not evidence.has("output") or not torch.equal(evidence.tensor("output"), output):
            symptom = (
                "The graph is right, but the module computes something else: its code is not the code of this graph."
            )
            yield self.failed("same output", "no-recompile", symptom)
        else:
            yield self.passed("same output")

    def _structure(self, case: Case, view: View) -> Iterator[Finding]:
        left = view.observers()
        if left:
            symptom = "There are observers left in the graph."
            yield self.failed("no observers left", "observer-left-in", symptom, graph="after", mark=tuple(left))
        else:
            yield self.passed("no observers left")
        places = places_of(_prepared(case.model, case.seed))
        yield self._activations(view, [p for p in places if not p.is_weight])
        yield self._weights(case, view, [p for p in places if p.is_weight])

    def _activations(self, view: View, places: list[Place]) -> Finding:
        problems = {p.node: found for p in places if (found := activation_problems(view, p))}
        if not problems:
            return self.passed("activations")
        first = next(iter(problems.values()))[0]
        kind, symptom = first.kind, first.symptom
        if kind == "not-rewired":
            kind, symptom = "place-skipped", "At some place a consumer reads the float value, or the observer."
            objects = [id(p.observer) for p in places]
            shared = {p.node for i, p in enumerate(places) if id(p.observer) in objects[:i]}
            if set(problems) <= shared:
                kind, symptom = "shared-done-once", "Where an observer is shared, only the first place was converted."
        return self._told("activations", first, kind, symptom)

    def _weights(self, case: Case, view: View, places: list[Place]) -> Finding:
        prepared = _prepared(case.model, case.seed)
        problems, stored = [], []
        for place in places:
            weight = _weight(prepared, place)
            problems += weight_problems(view, place, weight, folded=False)
            stored.append(_constant_of(view, place))
        targets = [t for t in stored if t]
        if not problems:
            return self.passed("weights")
        first = problems[0]
        if len(targets) > len(set(targets)):
            symptom = "Two ops read one and the same stored weight."
            return self._told("weights", first, "one-name-for-all", symptom)
        if first.kind == "not-rewired":
            kind = "observer-left-in" if view.observers() else "place-skipped"
            return self._told("weights", first, kind, "A weight was not converted.")
        return self._told("weights", first, first.kind, first.symptom)

    def _told(self, criterion: str, problem: Problem, kind: str | None, symptom: str) -> Finding:
        fake = any("fake_quantize" in str(part) for mark in problem.mark for part in (mark, *mark))
        kind = "fake-quant" if fake and kind is None else known(kind, self.misconceptions)
        return self.failed(criterion, kind, symptom, detail=problem.detail, graph="after", mark=problem.mark)


def _inputs(case: Case) -> "tuple[torch.Tensor]":
    from common.models import example_inputs

    return example_inputs(batch=3, seed=case.seed + 1)


def _prepared(model: str, seed: int) -> "fx.GraphModule":
    """A net prepared and calibrated, as an object of its own."""
    return copy.deepcopy(_prepared_once(model, seed))


@lru_cache(maxsize=16)
def _prepared_once(model: str, seed: int) -> "fx.GraphModule":
    import torch

    from common.pt2e import get_xnnpack_quantizer, prepare_pt2e

    prepared = prepare_pt2e(exported(model, seed), get_xnnpack_quantizer(is_per_channel=True)[0])
    with torch.no_grad():
        for batch in batches(seed):
            prepared(*batch)
    return prepared


def _weight(prepared: "fx.GraphModule", place: Place) -> "torch.Tensor":
    node = next(n for n in prepared.graph.nodes if n.name == place.producer)
    return prepared.get_parameter(str(node.target)).detach()


def _constant_of(view: View, place: Place) -> str | None:
    """The target of the get_attr node from which a weight's dequantize node reads, if there is one."""
    reader, at = place.readers[0]
    inputs = view.graph.by_name[reader].inputs if reader in view.graph.by_name else []
    dq = view.op(inputs[at]) if at < len(inputs) else None
    if dq is None or view.constant(dq.source) is None:
        return None
    return view.graph.by_name[dq.source].target


def _reference(case: Case, view: View) -> "torch.Tensor":
    """What the graph of convert_pt2e computes.

    A stored weight may round a tie to the other neighbour (w / s and w · (1 / s) differ in the last bit): such a
    constant was found right, and is used here too.
    """
    import torch

    from common.pt2e import convert_pt2e

    prepared = _prepared(case.model, case.seed)
    places = [p for p in places_of(prepared) if p.is_weight]
    mine: dict[str, torch.Tensor] = {}
    for place in places:
        target = _constant_of(view, place)
        if target and not weight_problems(view, place, _weight(prepared, place), folded=False):
            mine[place.readers[0][0]] = view.constants[target]
    converted = convert_pt2e(copy.deepcopy(prepared))
    nodes: dict[str, Any] = {n.name: n for n in converted.graph.nodes}
    for reader, stored in mine.items():
        constant = nodes[reader].args[1].args[0]
        getattr(converted, str(constant.target)).copy_(stored)
    with torch.no_grad():
        return converted(*_inputs(case))
