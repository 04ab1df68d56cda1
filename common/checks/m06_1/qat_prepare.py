"""From a float model to a graph that is ready for training with fake quant."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from common.checks.m06_1._nets import fake_quants, net, points, training_flags
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder
from common.exercise.graphs import GRAPH, GraphFacts

if TYPE_CHECKING:
    import torch
    from torch import nn

PLACES = {
    "curve_drop": ("0.weight", "3.weight", "input", "aten.relu.default", "aten.dropout.default", "aten.linear.default"),
    "linear_bn": (
        *("0.weight", "3.weight", "input"),
        *("aten.linear.default", "aten.relu.default", "aten.linear.default"),
    ),
}
"""Net → what goes through a fake quant after `prepare_qat_pt2e` with XNNPACKQuantizer (a test compares)."""

KNOW_THE_MODE = {"curve_drop": 1, "linear_bn": 1}
"""Net → how many of its ops behave in another way while training."""

_FLAG = {"type": "boolean"}
_FLAGS = {"type": "array", "items": _FLAG, "maxItems": 50}


class QATPrepare(Exercise):
    """qat_prepare(model, example): export, prepare for QAT, switch to train mode; return the graph."""

    id = "m06_1.qat_prepare"
    kind = "practice"
    minutes = 10
    criteria = {"fake quant": 2, "train mode": 1, "caller's model untouched": 1}
    must_return = True
    parameters = ("model", "example")
    hints = (
        "Three calls, one after the other: export, prepare, switch to train mode. And the caller goes on using `model`.",
        "Two places know about training: the *quantizer* (`is_qat=True`: which modules) and the *function* "
        "(`prepare_qat_pt2e`: what happens to batch norm). Both are needed.",
        "`export_module(copy.deepcopy(model), example)`, then `prepare_qat_pt2e(…, quantizer)`, then "
        "`move_exported_model_to_train(…)`. The copy is there because a graph shares its weights with the model that it "
        "was made from.",
    )
    misconceptions = {
        "plain-observers": "`prepare_qat_pt2e` puts in what the quantizer names. Without `is_qat=True` these are "
        "observers, which only look, and there is no warning: the net is trained as if nothing was quantized.",
        "folded": "`prepare_pt2e` folds batch norm into the layer before it, for inference. In training the statistics of "
        "batch norm still have to move, so `prepare_qat_pt2e` keeps it.",
        "nothing-put-in": "The graph comes as export made it: nothing in it rounds, and nothing learns a range.",
        "converted": "Quantize and dequantize nodes hold integers, and no gradient goes through them. Converting comes "
        "after the training.",
        "switched-off": "For training, both switches have to be on: the observer learns the range, and the fake quant rounds.",
        "eval-mode": "In eval mode dropout does nothing, and batch norm uses old statistics. A graph does not change its mode "
        "by itself; `move_exported_model_to_train` rewrites these ops.",
        "train-on-a-graph": "A graph from export has its mode written into its ops, and refuses `train()` and `eval()`. "
        "`move_exported_model_to_train(graph)` does it.",
        "quantizer-and-source": "`get_xnnpack_quantizer(…)` returns a pair: the quantizer, and where it comes from. "
        "`prepare_qat_pt2e` takes the first of the two.",
        "shared-weights": "An exported graph shares its weights with the model: whoever trains the graph trains the "
        "caller's model too. Export a deep copy.",
        "caller-mode": "`.train()` and `.eval()` change the module that they are called on. The caller finds the model "
        "in another mode than before.",
    }
    public_cases = (Case(model="curve_drop", train=True),)
    facts = {
        "prepared": GRAPH,
        "mode_changed": _FLAG,
        "weights_changed": _FLAG,
        "weights_shared": _FLAG,
        "switches": {"type": "object", "additionalProperties": _FLAGS},
        "training": _FLAGS,
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        import torch
        from torch import fx

        model = net(case.model, case.seed).train(case.train)
        mode, weights = _snapshot(model)
        prepared = ev.call(answer, model, (points(case.model, case.seed, 4),))
        ev.graph("prepared", prepared)
        if not isinstance(prepared, fx.GraphModule):
            return
        ev.fact("mode_changed", _snapshot(model)[0] != mode)
        ev.fact("weights_changed", not _equal(_snapshot(model)[1], weights))
        ev.fact("training", training_flags(prepared)[:50])
        switches = {
            name: [bool(m.observer_enabled[0]), bool(m.fake_quant_enabled[0])]
            for name, m in list(fake_quants(prepared).items())[:50]
        }
        ev.fact("switches", switches)
        with torch.no_grad():  # what a training would do, in short
            for tensor in (*prepared.parameters(), *prepared.buffers()):
                tensor.add_(1)
        ev.fact("weights_shared", not _equal(_snapshot(model)[1], weights))

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        message = (evidence.exception or {}).get("message", "")
        if message.strip().startswith(("Calling train()", "Calling eval()")):  # of export, and of torchao
            yield self.failed("train mode", "train-on-a-graph", "`train()` or `eval()` was called on a graph.")
        elif "'tuple' object has no attribute 'transform_for_annotation'" in message:
            yield self.failed("fake quant", "quantizer-and-source", "A tuple was given to `prepare_qat_pt2e`.")

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        graph = evidence.graph("prepared")
        if "not_a_graph" in graph.raw:
            detail = f"it returns: {graph.raw['not_a_graph']}"
            yield Finding(None, False, "form", "The function does not return a graph.", "", detail)
            return
        yield self._fake_quant(case, evidence, graph)
        flags = evidence.facts["training"]
        if len(flags) == KNOW_THE_MODE[case.model] and all(flags):
            yield self.passed("train mode")
        elif len(flags) != KNOW_THE_MODE[case.model]:
            symptom = "An op that behaves in another way while training is missing from the graph."
            yield self.failed("train mode", "folded", symptom)
        else:
            symptom = "The graph is in eval mode: a dropout or a batch norm in it does not behave as in training."
            yield self.failed("train mode", "eval-mode", symptom)
        yield self._caller(evidence)

    def _fake_quant(self, case: Case, evidence: Evidence, graph: GraphFacts) -> Finding:
        criterion = "fake quant"
        kinds = {n.name: graph.modules.get(n.target, {}).get("type", "") for n in graph.nodes if n.op == "call_module"}
        if any(n.target.startswith("quantized_decomposed.") for n in graph.nodes):
            return self.failed(criterion, "converted", "The graph has quantize and dequantize nodes in it.")
        observers = [name for name, kind in kinds.items() if kind.endswith("Observer")]
        if observers:
            symptom = "There are plain observers in the graph, which look and do not round."
            return self.failed(criterion, "plain-observers", symptom, graph="prepared", mark=tuple(observers[:3]))
        found = {n.inputs[0] for n in graph.nodes if kinds.get(n.name, "").endswith("FakeQuantize") and n.inputs}
        if not found:
            return self.failed(criterion, "nothing-put-in", "There is no fake quant in the graph.")
        if case.model == "linear_bn" and not any("batch_norm" in n.target for n in graph.nodes):
            symptom = "The batch norm of the model is not in the graph any more."
            return self.failed(criterion, "folded", symptom)
        if _places(graph, found) != sorted(PLACES[case.model]):
            symptom = "Other values go through a fake quant than `prepare_qat_pt2e` with this quantizer would choose."
            return self.failed(criterion, None, symptom)
        if len(evidence.facts["switches"]) < len(found) or not all(all(s) for s in evidence.facts["switches"].values()):
            return self.failed(criterion, "switched-off", "Some fake quants are not switched on wholly.")
        return self.passed(criterion)

    def _caller(self, evidence: Evidence) -> Finding:
        criterion = "caller's model untouched"
        if evidence.facts["mode_changed"]:
            symptom = "The caller's model is in another mode (train or eval) than before."
            return self.failed(criterion, "caller-mode", symptom)
        if evidence.facts["weights_changed"]:
            return self.failed(criterion, None, "Weights or statistics of the caller's model have changed.")
        if evidence.facts["weights_shared"]:
            symptom = "When the graph is trained, the weights of the caller's model change too."
            return self.failed(criterion, "shared-weights", symptom)
        return self.passed(criterion)


def _snapshot(model: "nn.Module") -> "tuple[list[bool], dict[str, torch.Tensor]]":
    tensors = {k: v.detach().clone() for k, v in model.state_dict().items()}
    return [m.training for m in model.modules()], tensors


def _equal(a: "dict[str, torch.Tensor]", b: "dict[str, torch.Tensor]") -> bool:
    import torch

    return a.keys() == b.keys() and all(torch.equal(a[k], b[k]) for k in a)


def _places(graph: GraphFacts, fake_quant: set[str]) -> list[str]:
    """What is observed, by weight name, op or "input": the names of nodes change when a mode is switched."""
    by_op = {"get_attr": "", "placeholder": "input"}
    nodes = (graph.by_name[name] for name in fake_quant if name in graph.by_name)
    return sorted(by_op.get(n.op) or n.target for n in nodes)
