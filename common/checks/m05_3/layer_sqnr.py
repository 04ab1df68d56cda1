"""How far each op of a quantized net is from the float net."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from common.checks.m05_3._quantized import NAMES, layers_in, measuring, net, node_names, quantized, same_db
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import NUMBER, Evidence, Recorder

if TYPE_CHECKING:
    from torch import fx

TOLERANCE = 0.01
MOST = 300


class LayerSqnr(Exercise):
    """layer_sqnr(gm_a, gm_b, x): the SQNR at each op that both graphs have, with both graphs left as they were."""

    id = "m05_3.layer_sqnr"
    kind = "practice"
    minutes = 10
    criteria = {"every op": 1, "decibels": 2, "nothing has learned": 1}
    must_return = True
    parameters = ("gm_a", "gm_b", "x")
    not_allowed = ("prepare_for_propagation_comparison", "extract_results_from_loggers", "compare_results")
    hints = (
        "`node_outputs` runs a graph and returns `{name: tensor}`. Run both, and compare what has the same name.",
        "A prepared graph has observers in it, and they learn from every run. Run something else than the graph itself.",
        "`copy.deepcopy(gm_b)` has observers of its own. Then: for each name that both dictionaries have, "
        "`sqnr_db(of gm_a, of gm_b)`.",
    )
    misconceptions = {
        "by-index": "The quantized graph has quantize and dequantize nodes between the ops, so the n-th op of one graph is "
        "not the n-th op of the other. The name is what they share.",
        "learned": "A measurement is a run, and observers learn from every run. The graph that you convert afterwards has "
        "other scales than the calibration gave it. Measure on a copy.",
        "changed": "Whoever hands over a graph to be measured wants it back as it was.",
        "swapped": "The float graph is the reference, and its values are the signal. It comes first.",
        "layers-only": "Every op that both graphs have was asked for: relu, pool and add change how large an error is, too.",
        "only-one-graph": "A quantize node exists in one of the graphs only. It has no partner to be compared with.",
        "outputs": "One number for the whole net says that there is an error, and not where.",
        "form": "The result is a dictionary: name of the op → decibels, a number.",
    }
    public_cases = (
        Case(model="pool_chain", bits=4, stage="converted"),
        Case(model="residual", bits=8, stage="prepared", seed=1),
    )
    facts = {
        "kind": {"type": "string"},
        "db": {"type": "object", "maxProperties": MOST, "additionalProperties": NUMBER},
        "nodes_a": NAMES,
        "nodes_b": NAMES,
        "ranges": {"type": "array", "maxItems": 2000, "items": NUMBER},
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        gm_a, gm_b = net(case), _other(case)
        returned = ev.call(answer, gm_a, gm_b, measuring(case))
        ev.fact("kind", type(returned).__name__)
        with ev.student("the result was read as a dictionary of numbers"):
            items = list(returned.items())[:MOST] if isinstance(returned, Mapping) else []
            ev.fact("db", {str(getattr(k, "name", k)): float(v) for k, v in items})
        ev.fact("nodes_a", node_names(gm_a))
        ev.fact("nodes_b", node_names(gm_b))
        ev.fact("ranges", _ranges(gm_b))

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        exception = evidence.exception or {}
        message = exception.get("message", "")
        a, b = ({n.name for n in gm.graph.nodes} for gm in (net(case), _other(case)))
        if "must match the size" in message and a != b:
            yield self.failed("decibels", "by-index", "Two tensors of different shapes were compared.")
        elif exception.get("type") == "KeyError" and message.strip("'\"") in a ^ b:
            symptom = "A value was looked up that only one of the graphs has."
            yield self.failed("decibels", "only-one-graph", symptom)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        yield self._untouched(case, evidence)
        said = evidence.facts.get("db", {})
        if not said:
            symptom = "The result is not a dictionary with an entry for each op."
            yield self.failed(
                "every op", "outputs" if evidence.facts["kind"] in ("float", "Tensor") else "form", symptom
            )
            yield self.failed("decibels", None, "There are no decibels to be compared.")
            return
        tables = _tables(case)
        right = tables["right"]
        missing = [name for name in right if name not in said]
        if not missing:
            yield self.passed("every op")
        else:
            only = set(said) & set(right) and set(layers_in(case)) >= set(said) & set(right)
            symptom = "Some ops that both graphs have are missing in the result."
            kind = "layers-only" if only else None
            yield self.failed("every op", kind, symptom, detail=f"missing: {', '.join(missing[:6])}")
        wrong = [name for name in right if name in said and not same_db(said[name], right[name], TOLERANCE)]
        if not wrong and set(said) & set(right):
            yield self.passed("decibels")
            return
        kinds = [k for k in ("swapped", "by-index") if wrong and all(_agrees(said, tables[k], n) for n in wrong)]
        symptom = "The number of decibels of an op is not right."
        detail = "; ".join(f"{n}: asked for {right[n]:.2f}, yours {said[n]:.2f}" for n in wrong[:4])
        yield self.failed("decibels", kinds[0] if kinds else None, symptom, detail=detail)

    def _untouched(self, case: Case, evidence: Evidence) -> Finding:
        criterion = "nothing has learned"
        other = _other(case)
        if evidence.facts["nodes_a"] != node_names(net(case)) or evidence.facts["nodes_b"] != node_names(other):
            return self.failed(criterion, "changed", "One of the graphs has other nodes after the measurement.")
        if evidence.facts["ranges"] != _ranges(other):
            symptom = "The observers of the second graph have other ranges after the measurement than before."
            return self.failed(criterion, "learned", symptom)
        return self.passed(criterion)


def _agrees(said: Mapping[str, float], table: Mapping[str, float], name: str) -> bool:
    return name in table and same_db(said[name], table[name], TOLERANCE)


def _tables(case: Case) -> dict[str, dict[str, float]]:
    """The right decibels of each op, and what known wrong ideas give."""
    from common.graph_utils import node_outputs, sqnr

    a, b = node_outputs(net(case), measuring(case)), node_outputs(_other(case), measuring(case))
    shared = [name for name in a if name in b]
    by_index = zip(a.items(), b.values(), strict=False)
    return {
        "right": {name: sqnr(a[name], b[name]) for name in shared},
        "swapped": {name: sqnr(b[name], a[name]) for name in shared},
        "by-index": {name: sqnr(v, w) for (name, v), w in by_index if v.shape == w.shape},
    }


def _other(case: Case) -> "fx.GraphModule":
    """The second graph: with quantized layers, or with observers that have seen the batches of the calibration."""
    bits = dict.fromkeys(layers_in(case), int(case.bits))
    return quantized(case, bits, stage=case.stage)


def _ranges(gm: "fx.GraphModule") -> list[float]:
    """All that the observers of a graph hold, as a list of numbers."""
    from common.graph_utils import observer_nodes

    found: list[float] = []
    for _node, observer in observer_nodes(gm):
        for value in (observer.min_val, observer.max_val):
            found += value.detach().double().flatten().tolist()
    return found[:2000]
