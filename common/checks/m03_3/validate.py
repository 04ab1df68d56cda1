"""Refuse labels that a chip cannot honour, with an error that says which node and why."""

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from common.checks.m03_1 import _labels as lb
from common.checks.m03_3 import _rules as rules
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder

if TYPE_CHECKING:
    from torch import fx


@dataclass(frozen=True)
class Fault:
    """One thing in a labelled graph that the chip cannot do."""

    rule: str
    node: str
    place: str
    """ "edge", "bias" or "output" for a wrong type; the target for an operation; what is labelled for half a unit."""
    why: str | None = None
    """A misconception that overlooks just this one: what kind of spec it is, or of node."""


class Validate(Exercise):
    """validate(model): raise a ValueError if a label asks for what the chip cannot do."""

    id = "m03_3.validate"
    kind = "core"
    minutes = 15
    criteria = {"operations": 1, "types": 1, "halves": 1, "error": 1}
    parameters = ("model",)
    not_allowed = ("prepare_pt2e", "prepare_qat_pt2e")
    hints = (
        "Go through the nodes, and skip those without an annotation. Collect all specs of an annotation, and throw away "
        "those that are None. What is left is what somebody asks for.",
        "One rule after the other: a `call_function` with a spec needs a target of the table; every spec that has a type, "
        "that is, all but a SharedQuantizationSpec, needs `dtype == torch.int8`; a conv or a linear needs a spec for both `args[0]` and `args[1]`, or for none of them.",
        "`entries = note.input_qspec_map`, then `(entries.get(node.args[0]) is None) != (entries.get(node.args[1]) is None)` "
        "is half a label. `raise ValueError(f'{node.name}: …')` says where.",
    )
    misconceptions = {
        "silent": "A `validate` that returns False or prints a line stops nobody: prepare_pt2e does not look at what it "
        "returns. Only an exception ends the work before the observers are put in.",
        "edge-not-seen": "Labels stand in two places of an annotation. This one is in `input_qspec_map`.",
        "output-not-seen": "Labels stand in two places of an annotation. This one is `output_qspec`.",
        "half-not-seen": "An integer kernel needs data and weight as integers. With one of the two it is a float kernel "
        "that reads rounded values, and nothing is gained.",
        "operation-not-seen": "The label asks for integers at an operation for which the chip has no integer kernel.",
        "similar-op": "The name of this op contains the name of one that the chip knows. It is another op, and there is no "
        "kernel for it. Compare whole targets: `aten.conv2d.padding` is not in the table either.",
        "by-name": "A node's name may be anything. What the node computes is in its target.",
        "shared-asks-too": "A SharedQuantizationSpec asks for integers as well: it only says whose scale they have. It has no "
        "type that could be wrong, and all other rules are for it.",
        "other-classes": "QuantizationSpec is not the only class of specs. A FixedQParamsQuantizationSpec has a `dtype` too.",
        "type-of-bias": "Rule 2 is for every spec. A label on the edge from a bias that asks for int32 asks for what this "
        "chip does not have.",
        "type-of-inputs": "Rule 2 is for every node. An input or a weight computes nothing, but a label on its output asks "
        "for a type.",
        "repairs": "`validate` only looks. If it takes labels away, somebody gets a graph that is not what was asked for, "
        "and nobody tells them.",
        "no-node": "In a graph with hundreds of nodes “not supported” does not help. An error says which node it is about.",
        "everything-named": "An error that lists all nodes says as little as one that lists none. Name the node on which the "
        "label stands.",
        "other-exception": "The exercise asks for a ValueError. An `assert` gives another exception (and is skipped by "
        "`python -O`), and an error that happens by accident says nothing about the label.",
        "asks-nothing": "A node without an annotation, an annotation without specs and a spec None all ask for nothing, so "
        "nothing has to be refused.",
        "no-half": "Half a unit has a spec for one of the edges from `args[0]` and `args[1]`, and none for the other. Where "
        "neither of them has one, only the output is to be in integers, or only a bias: that is no half.",
        "every-spec-has-a-type": "A SharedQuantizationSpec and None have no `dtype`. Look at the kind of the spec first.",
        "packet-or-overload": "`torch.ops.aten.conv2d` is the packet with all overloads, `node.target` is one overload, such "
        "as `torch.ops.aten.conv2d.default`. The two are never equal, so no op is found in such a table.",
        "inputs-and-weights": "The nodes of inputs and weights compute nothing, so the chip needs no kernel for them.",
    }
    public_cases = (
        Case(model="residual", specs="int8", change=[]),
        Case(model="gate", specs="int8", change=[["out", "sigmoid", "int8"]]),
        Case(model="residual", specs="uint8", change=[]),
        Case(model="conv_chain", specs="int8", change=[["edge", "conv_b_weight", "conv2d_1", None]]),
        Case(
            model="gate",
            specs="int8",
            swap=[["sigmoid", "relu_1"]],
            change=[["bare"], ["out", "relu_1", "int8"]],
        ),
        Case(model="plain_conv", specs="int8", change=[["bare"], ["out", "conv2d", "int8"]]),
        Case(model="offsets", specs="int8", change=[["out", "conv2d", "int8"]]),
        Case(model="conv_relu_conv", specs="int8", change=[["out", "relu", "fixed"]]),
        Case(model="pool_chain", specs="int8", change=[["edge", "conv_a_bias", "conv2d", None], ["mark", "flatten"]]),
    )
    facts = {
        "labels": lb.LABELS,
        "nodes": {"type": "array", "items": {"type": "string"}, "maxItems": 1000},
        "returned": {"type": "string"},
        "refuses_packets": {"type": "boolean"},
        "refuses_usual_names": {"type": "boolean"},
        "refuses_usual_specs": {"type": "boolean"},
        "raised": {
            "anyOf": [
                {"type": "null"},
                {
                    "type": "object",
                    "required": ["types", "message"],
                    "properties": {
                        "types": {"type": "array", "maxItems": 30, "items": {"type": "string"}},
                        "message": {"type": "string"},
                    },
                },
            ]
        },
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        gm = labelled(case)
        raised: list[Exception] = []
        tried = answer
        if callable(answer):

            @functools.wraps(answer)
            def tried(model: Any) -> Any:
                try:
                    return answer(model)
                except Exception as error:  # whether it raises, and what, is what is asked for
                    if isinstance(error, NotImplementedError) and not str(error):
                        raise  # the stub
                    raised.append(error)
                    return None

        returned = ev.call(tried, gm)
        ev.fact("returned", "None" if returned is None else type(returned).__name__)
        ev.fact("labels", lb.labels_of(gm))
        ev.fact("nodes", [n.name for n in gm.graph.nodes][:1000])
        ev.fact("refuses_packets", _refuses(answer, rules.with_packets(labelled(case))))
        ev.fact("refuses_usual_names", _refuses(answer, _with_usual_names(labelled(case), case)))
        ev.fact("refuses_usual_specs", _refuses(answer, labelled(_with_usual_specs(case))))
        ev.fact("raised", None)
        for error in raised:
            types = [kind.__name__ for kind in type(error).__mro__][:30]
            with ev.student("the message of the error was read"):
                ev.fact("raised", {"types": types, "message": str(error)})

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        gm = labelled(case)
        faults = faults_of(gm)
        broken = sorted({fault.rule for fault in faults})
        raised = evidence.facts["raised"]
        same = evidence.facts["labels"] == lb.labels_of(gm)
        same = same and evidence.facts["nodes"] == [n.name for n in gm.graph.nodes]
        if not faults:
            yield from self._good(gm, evidence, same)
            return
        for rule in ("operations", "types", "halves"):
            if rule not in broken or raised:
                yield self.passed(rule)
            else:
                kind, symptom = _missed([f for f in faults if f.rule == rule], evidence)
                yield self.failed(rule, kind, symptom, detail=", ".join(sorted({f.node for f in faults})))
        ops = {n.name for n in gm.graph.nodes if n.op == "call_function"}
        yield self._error(faults, raised, same, ops)

    def _good(self, gm: "fx.GraphModule", evidence: Evidence, same: bool) -> Iterator[Finding]:
        raised = evidence.facts["raised"]
        inputs = {n.name for n in gm.graph.nodes if n.op in ("placeholder", "get_attr")}
        if not raised:
            for rule in ("operations", "types", "halves"):
                yield self.passed(rule)
            yield self.passed("error") if same else self.failed("error", "repairs", CHANGED)
            return
        found = "asks-nothing", "A graph is refused that asks for nothing impossible."
        message = raised["message"]
        if "AttributeError" in raised["types"] and "'dtype'" in message:
            found = "every-spec-has-a-type", "A graph that asks for nothing impossible ends in an AttributeError."
        elif "ValueError" not in raised["types"]:
            found = "other-exception", "A graph that asks for nothing impossible ends in an error by accident."
        elif not evidence.facts["refuses_packets"]:
            found = (
                "packet-or-overload",
                "A graph with ops of the table is refused; it is not when its targets are packets.",
            )
        elif _words(message) & {e["node"] for e in evidence.facts["labels"] if e["output"]} & inputs:
            found = "inputs-and-weights", "The label on the output of an input or a weight is refused."
        elif _words(message) & _without_halves(gm):
            found = "no-half", "A conv or a linear is refused of which neither data nor the weight has a label."
        for criterion in self.criteria:
            yield self.failed(criterion, *found, detail=f"{raised['types'][0]}: {message}")

    def _error(self, faults: list[Fault], raised: Any, same: bool, ops: set[str]) -> Finding:
        if not same:
            return self.failed("error", "repairs", CHANGED)
        if not raised:
            return self.failed("error", None, "There is no error of which the message could be read.")
        if "AttributeError" in raised["types"] and "'dtype'" in raised["message"]:
            symptom = "A graph ends in an AttributeError, not in a ValueError."
            return self.failed("error", "every-spec-has-a-type", symptom, detail=raised["message"])
        if "ValueError" not in raised["types"]:
            symptom = "The error is no ValueError."
            return self.failed("error", "other-exception", symptom, detail=f"{raised['types'][0]}: {raised['message']}")
        if not {fault.node for fault in faults} & _words(raised["message"]):
            nodes = ", ".join(sorted({fault.node for fault in faults}))
            symptom = "The message of the error does not name the node."
            return self.failed("error", "no-node", symptom, detail=f"{raised['message']!r} does not name {nodes}")
        if len(ops) > 3 and ops <= _words(raised["message"]) and ops - {fault.node for fault in faults}:
            symptom = "The message of the error names every op of the graph."
            return self.failed("error", "everything-named", symptom, detail=repr(raised["message"]))
        return self.passed("error")


CHANGED = "The graph or its labels are not the same as before."


def _words(message: str) -> set[str]:
    """The words of a message; the name of a node is one word."""
    return set(re.split(r"\W+", message))


def _refuses(answer: Any, gm: "fx.GraphModule") -> bool:
    """Whether the answer raises on a graph that is another one than what was asked for."""
    try:
        answer(gm)
    except Exception:
        return True
    return False


def _with_usual_names(gm: "fx.GraphModule", case: Case) -> "fx.GraphModule":
    """Give nodes their names back that they have exchanged."""
    nodes = {n.name: n for n in gm.graph.nodes}
    for one, other in case.get("swap") or ():
        nodes[one].name, nodes[other].name = other, one
    return gm


def _with_usual_specs(case: Case) -> Case:
    """Return the same case with a QuantizationSpec wherever it has one of another class."""
    usual = {"shared": "activation", "fixed": "uint8"}
    return Case(**dict(case) | {"change": [[*rest, usual.get(last, last)] for *rest, last in case.change]})


def _without_halves(gm: "fx.GraphModule") -> set[str]:
    """Names of convs and linears that have a spec, but neither for data nor for the weight."""
    from common.pt2e import ANNOTATION_KEY

    found: set[str] = set()
    for node in gm.graph.nodes:
        note = node.meta.get(ANNOTATION_KEY)
        if note is not None and rules.kind_of(node) in ("conv", "linear"):
            entries = note.input_qspec_map
            asks = note.output_qspec is not None or any(s is not None for s in entries.values())
            if asks and all(entries.get(a) is None for a in node.args[:2]):
                found.add(node.name)
    return found


WHY = {
    "shared-asks-too": "A SharedQuantizationSpec where the chip cannot do what it asks for is not refused.",
    "other-classes": "A wrong type in a spec that is no QuantizationSpec is not refused.",
    "type-of-bias": "A wrong type on the edge from a bias is not refused.",
    "type-of-inputs": "A wrong type on the output of an input or a weight is not refused.",
}


def _missed(faults: list[Fault], evidence: Evidence) -> tuple[str | None, str]:
    """Why a fault was not refused."""
    if evidence.facts["returned"] != "None" or evidence.stdout.strip():
        return "silent", "Something impossible is noticed perhaps, but no error is raised."
    fault = faults[0]
    usual = fault.why in ("shared-asks-too", "other-classes") and not evidence.facts["refuses_usual_specs"]
    if fault.why and not usual and all(f.why == fault.why for f in faults):
        return fault.why, WHY[fault.why]
    if fault.rule == "operations":
        similar = any(word in fault.place for word in ("conv", "linear", "add", "relu"))
        symptom = "A label at an operation that the chip does not know is not refused."
        if evidence.facts["refuses_usual_names"]:
            return "by-name", symptom
        return ("similar-op" if similar else "operation-not-seen"), symptom
    if fault.rule == "halves":
        return "half-not-seen", "A conv or a linear of which only data or only the weight has a label is not refused."
    places = {f.place for f in faults}
    if places == {"edge"}:
        return "edge-not-seen", "A wrong type on an edge is not refused."
    if places == {"output"}:
        return "output-not-seen", "A wrong type on an output is not refused."
    return None, "A wrong type is not refused."


def faults_of(gm: "fx.GraphModule") -> list[Fault]:
    """Return what the chip cannot do in a labelled graph."""
    import torch

    from common.pt2e import ANNOTATION_KEY, QuantizationSpec, SharedQuantizationSpec

    found: list[Fault] = []
    for node in gm.graph.nodes:
        note = node.meta.get(ANNOTATION_KEY)
        if note is None:
            continue
        kind = rules.kind_of(node)
        asked = [("edge", a, s) for a, s in note.input_qspec_map.items() if s is not None]
        asked += [("output", None, note.output_qspec)] if note.output_qspec is not None else []
        shared = [isinstance(s, SharedQuantizationSpec) for _place, _a, s in asked]
        if asked and node.op == "call_function" and kind is None:
            found.append(Fault("operations", node.name, str(node.target), "shared-asks-too" if all(shared) else None))
        for place, read, spec in asked:
            if isinstance(spec, SharedQuantizationSpec) or spec.dtype == torch.int8:
                continue
            why = None if isinstance(spec, QuantizationSpec) else "other-classes"
            if kind in ("conv", "linear") and read is not None and read in node.args[2:3]:
                place, why = "bias", why or "type-of-bias"
            elif node.op in ("placeholder", "get_attr"):
                why = why or "type-of-inputs"
            found.append(Fault("types", node.name, place, why))
        if kind in ("conv", "linear"):
            halves = [note.input_qspec_map.get(a) for a in node.args[:2]]
            data, weight = (spec is not None for spec in halves)
            if data != weight:
                why = "shared-asks-too" if isinstance(halves[weight], SharedQuantizationSpec) else None
                found.append(Fault("halves", node.name, "data" if data else "weight", why))
    return found


def labelled(case: Case) -> "fx.GraphModule":
    """Return a net with the labels of the rules, which `change` adds to: a spec by name, None, or a marker.

    ``["out", node, spec]``, ``["edge", producer, consumer, spec]``, ``["mark", node]`` (an annotation without specs),
    ``["bare"]`` first: without the labels of the rules. Names are those after `swap`.
    """
    from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, SharedQuantizationSpec

    gm = rules.graph_of(case)
    nodes = {n.name: n for n in gm.graph.nodes}
    activation, weight = rules.make_specs(case.specs)
    if ["bare"] not in case.change:
        lb.put(rules.labels_for(gm), activation, {"weight": weight})(nodes)
    for kind, *names in case.change:
        if kind == "bare":
            continue
        note = nodes[names[1 if kind == "edge" else 0]].meta.setdefault(ANNOTATION_KEY, QuantizationAnnotation())
        if kind == "mark":
            continue
        spec = _spec(names[-1], activation, weight)
        if names[-1] == "shared":
            spec = SharedQuantizationSpec(nodes[names[0]] if kind == "edge" else nodes[names[0]].args[0])
        if kind == "out":
            note.output_qspec = spec
        else:
            note.input_qspec_map[nodes[names[0]]] = spec
    return gm


def _spec(name: str | None, activation: Any, weight: Any) -> Any:
    """Return the spec of a name: that of activations or weights, one of `_labels` or of the two below, or None."""
    import torch

    import common.pt2e as pt2e

    if name == "int32":
        return pt2e.QuantizationSpec(torch.int32, pt2e.MinMaxObserver, -(2**31), 2**31 - 1, torch.per_tensor_symmetric)
    if name == "fixed":
        return pt2e.FixedQParamsQuantizationSpec(torch.uint8, 1 / 256, 0, 0, 255, torch.per_tensor_affine)
    return {None: None, "shared": None, "activation": activation, "weight": weight}.get(name) or (
        lb.make_spec(name) if name in ("int8", "uint8", "narrow") else None
    )
