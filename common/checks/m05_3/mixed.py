"""Keep the layers that cost most in float, and quantize the rest."""

from collections.abc import Iterator
from typing import Any

from common.checks.m05_3._quantized import (
    NAMES,
    SOME,
    calibration,
    layers_in,
    measuring,
    net,
    node_names,
    quantized,
)
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import TENSOR, Evidence, Recorder
from common.exercise.graphs import GRAPH, GraphFacts, NodeFacts

CLOSE = 50.0
"""In dB, against the judge's own graph. One made by hand may round a few values at a tie the other way. Another
calibration or width is nearly always below 45 dB on the nets of the cases, and far below it on some of them."""

OTHERS = "Other layers stay in float than those that cost most."

TARGETS = ("aten.conv2d.default", "aten.linear.default")


class Mixed(Exercise):
    """mixed(gm, db, bits, k, batches): a quantized graph in which the k layers that cost most stay in float."""

    id = "m05_3.mixed"
    kind = "core"
    minutes = 10
    criteria = {"the right layers in float": 2, "the rest quantized": 1, "graph as it was": 1}
    must_return = True
    parameters = ("gm", "db", "bits", "k", "batches")
    not_allowed = ("quantize_only",)
    hints = (
        "Two steps: which layers stay in float, and then one ordinary PTQ with all the others.",
        "`sorted(db, key=db.get)` gives the names, the smallest number of decibels first.",
        "`OnlyLayers(worst_first[k:], bits)` labels all layers but the k worst ones. Then prepare a copy of `gm`, run the "
        "batches, convert.",
    )
    misconceptions = {
        "best-kept": "Few decibels mean a large error: the layers with the *smallest* numbers cost most. Here the ones "
        "that cost least stay in float.",
        "other-way-round": "The k worst layers are the only ones that are quantized here. They are to stay in float.",
        "first-layers": "The first layers of a net are not always the ones that cost most; the numbers in `db` say which ones "
        "do. (`sorted(db)` sorts the names. By the decibels: `sorted(db, key=db.get)`.)",
        "by-size": "The number of weights says what a layer costs in memory, and nothing about its error.",
        "all-quantized": "With k above 0 some layers stay in float. A list of names for `OnlyLayers` must not hold them.",
        "nothing-quantized": "All layers are in float, although only k of them were to stay so.",
        "wrong-number": "k is the number of layers that stay in float.",
        "not-converted": "A prepared graph computes in float: `convert_pt2e` puts quantize and dequantize into it.",
        "uncalibrated": "The observers have seen nothing, and `convert_pt2e` does not say so. Run the batches before it.",
        "some-batches": "The observers have to see all the batches, from the first one to the last.",
        "eight-bits": "The number of bits is given. Without it, `OnlyLayers` takes 8.",
        "caller": "`prepare_pt2e` changes the graph that it is given. Give it a copy.",
        "form": "The result is a graph: what `convert_pt2e` returns.",
    }
    public_cases = (
        Case(model="pool_chain", db={"conv2d": 26.0, "conv2d_1": 22.5, "conv2d_2": 14.5, "linear": 31.0}, bits=4, k=1),
        Case(model="conv_chain", db={"conv2d_2": 19.0, "conv2d": 28.5, "conv2d_1": 24.0}, bits=3, k=2, seed=1),
    )
    facts = {"graph": GRAPH, "output": TENSOR, "nodes": NAMES}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        import torch
        from torch import fx

        gm = net(case)
        db = {name: float(value) for name, value in case.db.items()}
        returned = ev.call(answer, gm, db, int(case.bits), int(case.k), calibration(case))
        ev.fact("nodes", node_names(gm))
        ev.graph("graph", returned)
        if isinstance(returned, fx.GraphModule):
            with ev.student("the returned graph was run"), torch.no_grad():
                ev.tensor("output", returned(measuring(case)))

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        message = str((evidence.exception or {}).get("message", ""))
        if message.startswith("'GraphModule' object has no attribute '_scale_"):
            symptom = "A graph that had been converted already was prepared once more."
            yield self.failed("graph as it was", "caller", symptom)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        if evidence.facts["nodes"] != node_names(net(case)):
            yield self.failed("graph as it was", "caller", "The given graph has other nodes than before.")
        else:
            yield self.passed("graph as it was")
        if evidence.facts["graph"].get("not_a_graph") is not None:
            yield self.failed("the right layers in float", "form", "What is returned is not a graph.")
            return
        graph = evidence.graph("graph")
        if any(n.op == "call_module" and "Observer" in _kind_of(graph, n) for n in graph.nodes):
            symptom = "The returned graph still has observers in it."
            yield self.failed("the right layers in float", "not-converted", symptom)
            yield self.failed("the rest quantized", "not-converted", symptom)
            return
        worst_first = sorted(case.db, key=case.db.get)
        wanted, got = set(worst_first[: case.k]), _in_float(graph)
        if got != wanted:
            kind, symptom = _explain(case, got)
            detail = (
                f"to stay in float: {', '.join(sorted(wanted)) or 'none'}; yours: {', '.join(sorted(got)) or 'none'}"
            )
            yield self.failed("the right layers in float", kind, symptom, detail=detail)
            yield self.failed("the rest quantized", None, "Other layers are quantized than those that should be.")
            return
        yield self.passed("the right layers in float")
        yield self._rest(case, evidence, worst_first[case.k :])

    def _rest(self, case: Case, evidence: Evidence, rest: list[str]) -> Finding:
        import torch

        from common.graph_utils import sqnr

        criterion, x, output = "the rest quantized", measuring(case), evidence.tensor("output")

        def same(names_and_bits: dict[str, int], feed: str) -> bool:
            with torch.no_grad():
                own = quantized(case, names_and_bits, feed)(x)
            return own.shape == output.shape and (torch.equal(own, output) or sqnr(own, output) >= CLOSE)

        bits = dict.fromkeys(rest, int(case.bits))
        if same(bits, "batches"):
            return self.passed(criterion)
        ideas = [
            ("uncalibrated", bits, "none", "The observers have seen no data."),
            *(("some-batches", bits, feed, "The observers have not seen all the batches.") for feed in SOME),
            ("eight-bits", dict.fromkeys(rest, 8), "batches", "The weights have another number of bits."),
        ]
        for kind, with_bits, feed, symptom in ideas:
            if same(with_bits, feed):
                return self.failed(criterion, kind, symptom)
        symptom = "The right layers are quantized, but the graph computes something else than it should."
        return self.failed(criterion, None, symptom)


def _kind_of(graph: GraphFacts, node: NodeFacts) -> str:
    return str(graph.modules.get(node.target, {}).get("type", ""))


def _in_float(graph: GraphFacts) -> set[str]:
    """The conv2d and linear nodes that read nothing dequantized."""
    return {
        n.name
        for n in graph.nodes
        if n.target in TARGETS
        and not any(
            graph.by_name[i].target.startswith("quantized_decomposed.dequantize")
            for i in n.inputs
            if i in graph.by_name
        )
    }


def _explain(case: Case, got: set[str]) -> tuple[str | None, str]:
    """The wrong idea by which these layers stay in float, and what happened."""
    k, layers, worst_first = int(case.k), layers_in(case), sorted(case.db, key=case.db.get)
    ideas = {
        "all-quantized": (set[str](), "No layer stays in float."),
        "nothing-quantized": (set(layers), "No layer is quantized."),
        "best-kept": (set(worst_first[len(layers) - k :]), "The layers that cost least stay in float."),
        "other-way-round": (set(worst_first[k:]), "The layers that cost most are quantized, and the others are not."),
        "first-layers": (set(layers[:k]), OTHERS),
        "by-size": (set(_by_size(case)[:k]), OTHERS),
    }
    found = [(kind, symptom) for kind, (names, symptom) in ideas.items() if got == names]
    if len(found) == 1:
        return found[0]
    if not found and len(got) != k:
        return "wrong-number", "The number of layers that stay in float is not k."
    return None, OTHERS  # several wrong ideas lead here, or none that is known


def _by_size(case: Case) -> list[str]:
    """The layers, those with most weights first."""
    from operator import attrgetter

    gm = net(case)
    sizes = {
        n.name: attrgetter(n.all_input_nodes[1].target)(gm).numel() for n in gm.graph.nodes if n.name in layers_in(case)
    }
    return sorted(sizes, key=lambda name: -sizes[name])
