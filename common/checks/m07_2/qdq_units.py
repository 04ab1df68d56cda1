"""The units of a Q/DQ graph: what a backend has to recognize."""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from common.checks.m07_2._graphs import pairs, quantized, set_qparams
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder

if TYPE_CHECKING:
    from torch import fx

    from common.lowering import Unit

Ops = tuple[str, ...]


class QdqUnits(Exercise):
    """qdq_units(gm): the dequantize → op → quantize units of a Q/DQ graph, and which of them keep their qparams."""

    id = "m07_2.qdq_units"
    kind = "core"
    minutes = 20
    criteria = {"units found": 2, "ops of each unit": 2, "shared": 2}
    parameters = ("gm",)
    not_allowed = ("find_units",)
    hints = (
        "Begin at the end of a unit: at each quantize node of an activation, and walk back along "
        "`node.all_input_nodes`. Where does the walk have to stop?",
        "Keep a list of nodes to look at. A dequantize of an activation is an input of the unit; an op belongs to it, "
        "and its own inputs come on the list; everything else (weights, biases, the net's input) ends the walk.",
        "Scale and zero point are `node.args[1]` and `node.args[2]`, at quantize and dequantize alike. Collect those "
        "of *all* inputs in a set, and compare it with the set that holds those of the output only.",
    )
    misconceptions = {
        "stops-at-relu": "The node in front of the quantize is only the last op. A unit reaches back to the "
        "dequantize nodes: with a relu at its end, the op that does the work stands before it.",
        "follows-weight": "A weight is dequantized as well, but it is a constant of the unit and not an input of it: "
        "neither its nodes nor its scale belong to what flows through.",
        "misses-second-input": "An add has two inputs, each with a scale of its own. Integers can only stay as they "
        "are when all inputs and the output agree.",
        "scale-only": "Two integer formats are the same only when scale *and* zero point are.",
        "input-counted": "The net's input is quantized, but nothing is computed there: a unit has one op at least.",
        "without-dequantize": "A unit takes integers and gives integers. Ops that read floats from outside, without a "
        "dequantize in front, are no unit: no backend can run them in integers.",
        "from-dequantize": "An op with two inputs has two dequantize nodes, and it is still one unit. Count from the "
        "quantize: each unit ends in exactly one.",
        "kinds-only": "The list has an entry for each unit, so two units of the same ops are two entries.",
        "backwards": "A walk from the quantize meets the last op first. The data flows the other way.",
    }
    public_cases = (
        Case(model="residual"),
        Case(model="tiny", seed=1),
        Case(model="residual", equal=[[2, 0]], seed=2),
    )
    facts = {
        "form": {"type": "boolean"},
        "units": {
            "type": "array",
            "maxItems": 200,
            "items": {
                "type": "object",
                "required": ["ops", "shared"],
                "properties": {
                    "ops": {"type": "array", "maxItems": 100, "items": {"type": "string"}},
                    "shared": {"type": "boolean"},
                },
            },
        },
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        returned = ev.call(answer, _graph(case))
        with ev.student("the list of units was read"):
            entries = list(pairs(returned)) if isinstance(returned, (list, tuple)) else [None]
        ev.fact("form", None not in entries)
        ev.fact("units", [{"ops": e[0], "shared": e[1]} for e in entries if e is not None][:200])

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        if not evidence.facts["form"]:
            symptom = "What is returned is not a list of pairs (ops, shared), with ops a tuple of names and a bool."
            yield Finding(None, False, "form", symptom)
            return
        from common.lowering import find_units

        gm = _graph(case)
        wanted = find_units(gm)
        found = [(tuple(u["ops"]), u["shared"]) for u in evidence.facts["units"]]
        yield self._units(gm, wanted, [ops for ops, _shared in found])
        ops = self._ops(wanted, [ops for ops, _shared in found])
        yield ops
        if ops.passed:
            yield self._shared(wanted, found)

    def _units(self, gm: "fx.GraphModule", wanted: "list[Unit]", found: list[Ops]) -> Finding:
        criterion = "units found"
        if len(found) == len(wanted):
            return self.passed(criterion)
        detail = f"units in this graph: {len(wanted)}; in your list: {len(found)}"
        dequantized = sum(len(u.inputs) for u in wanted)
        if len(found) < len(wanted):
            kind = "kinds-only" if len(set(found)) == len(found) == len({u.names for u in wanted}) else None
            return self.failed(criterion, kind, "The list has fewer entries than the graph has units.", detail=detail)
        symptom = "The list has more entries than the graph has units."
        quantizes = [n for n in gm.graph.nodes if "quantized_decomposed.quantize_per_tensor" in str(n.target)]
        if () in found:
            return self.failed(criterion, "input-counted", "An entry of the list has no ops at all.", detail=detail)
        if len(found) == dequantized:
            return self.failed(criterion, "from-dequantize", symptom, detail=detail)
        from_floats = [n for n in quantizes if n.all_input_nodes[0].op == "call_function"]
        if len(found) == len(from_floats):
            return self.failed(criterion, "without-dequantize", symptom, detail=detail)
        return self.failed(criterion, None, symptom, detail=detail)

    def _ops(self, wanted: "list[Unit]", found: list[Ops]) -> Finding:
        criterion = "ops of each unit"
        right = Counter(u.names for u in wanted)
        wrong, missed = Counter(found) - right, right - Counter(found)
        if not missed and not any(wrong[w] for w in wrong if w and not right[w]):
            return self.passed(criterion)
        pair = next(((w, m) for m in missed for w in wrong if w and _akin(w, m)), None)
        if pair is None:
            return self.failed(criterion, None, "A unit of the graph is not in the list with all of its ops.")
        got, asked = pair
        detail = f"unit: {' → '.join(asked)}; yours: {' → '.join(got)}"
        if set(got) > set(asked):
            symptom = "There are nodes in a unit that are no ops of it."
            kind = "follows-weight" if any("dequantize" in g or "weight" in g for g in set(got) - set(asked)) else None
            return self.failed(criterion, kind, symptom, detail=detail)
        if got == asked[::-1]:
            return self.failed(criterion, "backwards", "The ops of a unit stand in the wrong order.", detail=detail)
        if len(got) < len(asked) and got == asked[-len(got) :]:
            symptom = "A unit begins further back than the list says."
            return self.failed(criterion, "stops-at-relu", symptom, detail=detail)
        return self.failed(criterion, None, "The ops of a unit are other ones.", detail=detail)

    def _shared(self, wanted: "list[Unit]", found: list[tuple[Ops, bool]]) -> Finding:
        """The ops agree: so compare unit by unit, in the order of the list where units have the same ops."""
        from common.lowering import qparams

        criterion = "shared"
        left = list(found)
        for unit in wanted:
            entry = next(e for e in left if e[0] == unit.names)
            left.remove(entry)
            if entry[1] == unit.shared:
                continue
            detail = f"unit: {' → '.join(unit.names)}; shared: {unit.shared}; yours: {entry[1]}"
            if unit.shared:
                kind = "follows-weight" if unit.names[0] in ("conv2d", "linear") else None
                symptom = "A unit whose inputs and output have the same qparams is said not to share them."
                return self.failed(criterion, kind, symptom, detail=detail)
            ours = [qparams(n) for n in unit.inputs]
            output = qparams(unit.quantize)
            kind = None
            if output in ours:
                kind = "misses-second-input"
            elif all(scale == output[0] for scale, _zero_point in ours):
                kind = "scale-only"
            symptom = "A unit whose qparams differ is said to share them."
            return self.failed(criterion, kind, symptom, detail=detail)
        return self.passed(criterion)


def _akin(got: Ops, asked: Ops) -> bool:
    """Whether one is the other with ops missing, too many, or in another order."""
    return set(got) <= set(asked) or set(got) > set(asked)


def _graph(case: Case) -> "fx.GraphModule":
    """The graph of a case; `equal` and `shifted` change qparams of some units, so that nothing follows from ops alone.

    `equal`: pairs (unit, input): the unit's output gets the qparams of this input. `shifted`: units whose output gets
    the scale of their first input, and a zero point that is one more.
    """
    from common.lowering import find_units, qparams

    gm = quantized(case)
    units = find_units(gm)
    for unit, number in case.get("equal", ()):
        set_qparams(units[unit].quantize, *qparams(units[unit].inputs[number]))
    for unit in case.get("shifted", ()):
        scale, zero_point = qparams(units[unit].inputs[0])
        set_qparams(units[unit].quantize, scale, zero_point + 1)
    gm.recompile()
    return gm
