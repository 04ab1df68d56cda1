"""What each layer costs when it alone is quantized."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from common.checks.m05_3._quantized import (
    NAMES,
    SOME,
    calibration,
    layers_in,
    measuring,
    net,
    node_names,
    output_db,
    quantized,
    same_db,
)
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import NUMBER, TENSOR, Evidence, Recorder

MOST = 100


class Sensitivity(Exercise):
    """sensitivity(gm, layers, bits, batches, x): the SQNR at the output when one layer alone is quantized, for each layer."""

    id = "m05_3.sensitivity"
    kind = "core"
    minutes = 15
    criteria = {"every layer": 1, "one layer at a time": 3, "calibrated": 1, "graph as it was": 1}
    must_return = True
    parameters = ("gm", "layers", "bits", "batches", "x")
    not_allowed = ("quantize_only",)
    hints = (
        "A loop over the layers. In each round: a fresh copy of `gm`, the four steps of PTQ with a quantizer that labels "
        "this one layer, and the SQNR of its output.",
        "`prepare_pt2e(copy.deepcopy(gm), OnlyLayers([name], bits))`, then the batches, then `convert_pt2e`.",
        "The reference is `gm(x)`, computed once. In the round of `name`: `found[name] = sqnr_db(y, converted(x))`.",
    )
    misconceptions = {
        "neighbours": "The layers of earlier rounds are still quantized. `prepare_pt2e` and `convert_pt2e` change the graph "
        "that they are given, so each round needs a fresh copy of the float graph.",
        "left-out": "All layers but one are quantized here. That is another question; the errors of all the others are in "
        "the answer.",
        "all": "All layers are quantized in every round, so all rounds measure the same thing.",
        "uncalibrated": "`convert_pt2e` does not complain about observers that have seen nothing: their scale is then 1, "
        "which means nothing. Run the batches through each prepared graph.",
        "calibrated-on-x": "`x` is there to measure with. Whoever calibrates on it measures how well the observers have "
        "learned it by heart.",
        "some-batches": "The observers have to see all the batches: each round, from the first one to the last.",
        "at-the-layer": "The error where it arises is not what it costs: the ops behind it may make it smaller or larger. "
        "Measure at the output of the net.",
        "eight-bits": "The number of bits is given. Without it, `OnlyLayers` takes 8.",
        "swapped": "The output of the float graph is the reference, and comes first.",
        "not-converted": "A prepared graph computes in float: its observers only look. There is no error before "
        "`convert_pt2e`.",
        "caller": "`prepare_pt2e` changes the graph that it is given. Give it a copy.",
        "missing": "Each layer of the list gets its entry, and no other one does.",
        "form": "The result is a dictionary: name of the layer → decibels, a number.",
    }
    public_cases = (
        Case(model="conv_chain", bits=4),
        Case(model="pool_chain", bits=5, layers=["linear", "conv2d_1", "conv2d"], seed=2),
    )
    facts = {
        "kind": {"type": "string"},
        "db": {"type": "object", "maxProperties": MOST, "additionalProperties": NUMBER},
        "nodes": NAMES,
        "output": TENSOR,
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        import torch

        gm = net(case)
        x = measuring(case)
        returned = ev.call(answer, gm, layers_in(case), int(case.bits), calibration(case), x.clone())
        ev.fact("kind", type(returned).__name__)
        with ev.student("the result was read as a dictionary of numbers"):
            items = list(returned.items())[:MOST] if isinstance(returned, Mapping) else []
            ev.fact("db", {str(k): float(v) for k, v in items})
        ev.fact("nodes", node_names(gm))
        with ev.student("the given graph was run once more"), torch.no_grad():
            ev.tensor("output", gm(x))

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        message = str((evidence.exception or {}).get("message", ""))
        if message.startswith("'GraphModule' object has no attribute '_scale_"):
            symptom = "A graph that had been converted already was prepared once more."
            yield self.failed("graph as it was", "caller", symptom)
            yield self.failed("one layer at a time", "neighbours", symptom)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        yield self._caller(case, evidence)
        said, names = evidence.facts.get("db", {}), layers_in(case)
        if not said:
            yield self.failed("every layer", "form", "The result is not a dictionary with an entry for each layer.")
            return
        if sorted(said) == sorted(names):
            yield self.passed("every layer")
        else:
            detail = f"asked for: {', '.join(names)}; yours: {', '.join(sorted(said)[:10])}"
            symptom = "The result does not have an entry for each layer of the list, and for these only."
            yield self.failed("every layer", "missing", symptom, detail=detail)
        known = [n for n in names if n in said]
        right = {n: output_db(case, {n: int(case.bits)}) for n in known}
        wrong = [n for n in known if not same_db(said[n], right[n])]
        if known and not wrong:
            yield self.passed("one layer at a time")
            yield self.passed("calibrated")
            return
        kind = self._kind(case, said, known) if known else None
        detail = "; ".join(f"{n}: asked for {right[n]:.2f} dB, yours {said[n]:.2f}" for n in wrong[:5])
        data = {
            "uncalibrated": "The observers have seen no data.",
            "calibrated-on-x": "The observers have seen the pictures that are measured with.",
            "some-batches": "The observers have not seen all the batches.",
        }
        if kind in data:
            yield self.passed("one layer at a time")
            yield self.failed("calibrated", kind, data[kind], detail=detail)
            return
        symptom = "The decibels are not those of a net in which this one layer is quantized."
        yield self.failed("one layer at a time", kind, symptom, detail=detail)
        yield self.failed("calibrated", None, "With such decibels the calibration cannot be seen.")

    def _kind(self, case: Case, said: Mapping[str, float], known: list[str]) -> str | None:
        """The wrong idea that gives all these decibels, when there is only one of them that does."""
        bits, names = int(case.bits), layers_in(case)
        every = dict.fromkeys(names, bits)
        ideas: dict[str, Callable[[str], float]] = {
            "not-converted": lambda _n: float("inf"),
            "uncalibrated": lambda n: output_db(case, {n: bits}, "none"),
            "calibrated-on-x": lambda n: output_db(case, {n: bits}, "x"),
            "swapped": lambda n: output_db(case, {n: bits}, swapped=True),
            "eight-bits": lambda n: output_db(case, {n: 8}),
            "all": lambda _n: output_db(case, every),
            "neighbours": lambda n: output_db(case, dict.fromkeys(names[: names.index(n) + 1], bits)),
            "left-out": lambda n: output_db(case, {m: bits for m in names if m != n}),
            "at-the-layer": lambda n: _at_the_layer(case, n, bits),
        }
        if all(same_db(said[n], output_db(case, {n: bits}, "also x")) for n in known):
            return "calibrated-on-x"
        for feed in SOME:
            if all(same_db(said[n], output_db(case, {n: bits}, feed)) for n in known):
                return "some-batches"
        for kind, idea in ideas.items():
            if all(same_db(said[n], idea(n)) for n in known):
                return kind
        return None

    def _caller(self, case: Case, evidence: Evidence) -> Finding:
        import torch

        criterion, gm = "graph as it was", net(case)
        with torch.no_grad():
            output = gm(measuring(case))
        if evidence.facts["nodes"] != node_names(gm):
            return self.failed(criterion, "caller", "The given graph has other nodes than before.")
        if not torch.equal(evidence.tensor("output"), output):
            return self.failed(criterion, "caller", "The given graph computes something else than before.")
        return self.passed(criterion)


def _at_the_layer(case: Case, name: str, bits: int) -> float:
    from common.graph_utils import node_outputs, sqnr

    x = measuring(case)
    return sqnr(node_outputs(net(case), x)[name], node_outputs(quantized(case, {name: bits}), x)[name])
