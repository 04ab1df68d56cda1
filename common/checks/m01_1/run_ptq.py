"""Export, prepare, calibrate, convert: the four steps, with the graph of each step kept."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from common.checks.m01_1._ptq import MOST, converted_qparams, observer_qparams, same_qparams
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import TENSOR, Evidence, Recorder
from common.exercise.graphs import GRAPH, GraphFacts, NodeFacts, graph_facts

if TYPE_CHECKING:
    import torch
    from torch import nn

STAGES = ("exported", "prepared", "quantized")
_QPARAMS = {
    f"{stage}_{kind}:{i}": TENSOR for stage in STAGES[1:] for kind in ("scale", "zero_point") for i in range(MOST)
}
_FLAG = {"type": "boolean"}


class RunPTQ(Exercise):
    """run_ptq(model, example, batches): the four steps of PTQ; return the exported, prepared and quantized graph."""

    id = "m01_1.run_ptq"
    kind = "core"
    minutes = 15
    criteria = {
        "three graphs": 1,
        "for inference": 1,
        "calibrated": 2,
        "converted": 1,
        "caller's model untouched": 1,
    }
    must_return = True
    parameters = ("model", "example", "batches")
    hints = (
        "Each step of the lesson is one line here. Ask at each of them: what does this call change, and does anybody "
        "still need what it was before?",
        "`prepare_pt2e` and `convert_pt2e` work on the very graph that they are given, so each gets a deep copy. The "
        "same holds for `.eval()` on the caller's model.",
        "The order: `export_module(copy of the model, in eval mode)`, `prepare_pt2e(copy)`, "
        "`for batch in batches: prepared(*batch)`, `convert_pt2e(copy)`.",
    )
    misconceptions = {
        "form": "Each step makes a graph of its own, and a later lesson looks at all of them side by side.",
        "other-order": "The caller takes the three apart by their places: `exported, prepared, quantized = run_ptq(…)`.",
        "prepared-in-place": "`prepare_pt2e` puts the observers into the graph that it is given. Whoever wants to keep "
        "the exported graph hands over a deep copy.",
        "converted-in-place": "`convert_pt2e` replaces the observers in the graph that it is given. Whoever wants to "
        "read the observers later hands over a deep copy.",
        "train-mode": "`torch.export` records what the model does in its present mode. In train mode batch norm uses the "
        "statistics of the batch and dropout drops at random, and the graph does so for ever.",
        "static-batch": "`torch.export` takes the sizes of the example for constants unless it is told that the batch "
        "is free. `export_module` of this course does so.",
        "no-calibration": "`convert_pt2e` does not refuse observers that have seen nothing (there is a warning at most). It takes "
        "their initial scale, and the quantized graph is useless.",
        "calibrated-too-late": "`convert_pt2e` reads the observers once, at the moment when it is called. What they "
        "learn afterwards reaches no scale, nor does it reach a copy that was made before.",
        "copy-calibrated": "The observers of a copy are other objects. The graph through which the batches have run is the one "
        "to return; `convert_pt2e` gets a copy of it.",
        "statistics-moved": "A forward in train mode moves the running statistics of batch norm. The graphs are to be those of "
        "the model as it was given.",
        "another-quantizer": "The quantizer decides which values are observed, and with which integers. This exercise asks for "
        "`get_xnnpack_quantizer()`, as it is.",
        "eval-on-a-graph": "A graph from export is in the mode in which it was exported, and refuses `eval()` and `train()`. It "
        "is the model that gets `eval()`, before the export.",
        "quantizer-and-source": "`get_xnnpack_quantizer()` returns a pair: the quantizer, and where it comes from. "
        "`prepare_pt2e` takes the first of the two.",
        "another-graph": "Only the prepared graph has observers in it. Data that runs through the model, the exported "
        "graph or the converted graph teaches nobody anything.",
        "first-batch": "Calibration shows the observers all the batches. A range taken from a part of them is too narrow "
        "for the rest.",
        "learned-something-else": "An observer learns from every forward: from a test of the shapes or a measurement too. "
        "Only the calibration batches may run through the prepared graph; for anything else take a copy.",
        "weight-per-tensor": "One scale for the whole weight is another configuration. The quantizer of this lesson has "
        "one scale for each output channel.",
        "not-converted": "Only `convert_pt2e` turns observers into quantize and dequantize nodes.",
        "caller-mode": "`.eval()` changes the module it is called on and all modules in it. The caller who goes on with "
        "the training would train in the wrong mode.",
        "caller-weights": "The caller's model and its exported graph share their tensors. A forward in train mode moves "
        "the running statistics of batch norm, in the caller's model too.",
    }
    public_cases = (
        Case(model="residual", train=False, batches="list"),
        Case(model="tiny", train=True, batches="list", seed=3),
    )
    facts = {
        **dict.fromkeys(STAGES, GRAPH),
        "returned": {"type": "array", "items": {"type": "string"}, "maxItems": 10},
        "batches_read": {"type": "integer"},
        "has_data": {"type": "array", "items": _FLAG, "maxItems": MOST},
        "mode_changed": _FLAG,
        "weights_changed": _FLAG,
        "exported_output": TENSOR,
        "quantized_output": TENSOR,
        **_QPARAMS,
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        import torch
        from torch import fx

        model = _model(case.model, case.seed).train(case.train)
        batches = _Counted(_batches(case.seed))
        before = _snapshot(model)
        returned = ev.call(
            answer, model, _example(case.seed), iter(batches) if case.batches == "generator" else batches
        )
        parts = list(returned)[:10] if isinstance(returned, (tuple, list)) else [returned]
        graphs = [isinstance(p, fx.GraphModule) for p in parts]
        kinds = ["graph" if g else type(p).__name__ for g, p in zip(graphs, parts, strict=True)]
        ev.fact("returned", kinds)
        ev.fact("batches_read", batches.read)
        mode, weights = _snapshot(model)
        ev.fact("mode_changed", mode != before[0])
        ev.fact("weights_changed", not _equal(weights, before[1]))
        if not (len(graphs) == len(STAGES) and all(graphs)):
            return
        for stage, gm in zip(STAGES, parts, strict=True):
            ev.graph(stage, gm)
        exported, prepared, quantized = parts
        with ev.student("the observers of the prepared graph were read"), torch.no_grad():
            found, has_data = observer_qparams(prepared)
        ev.fact("has_data", has_data)
        self._record(ev, "prepared", found)
        with ev.student("scales and zero points of the quantized graph were read"):
            found = converted_qparams(quantized)
        self._record(ev, "quantized", found)
        for stage, gm in (("quantized", quantized), ("exported", exported)):
            with ev.student(f"the {stage} graph was run on three pictures"), torch.no_grad():
                ev.tensor(f"{stage}_output", gm(*_inputs(case.seed)))

    def _record(self, ev: Recorder, stage: str, found: "list[tuple[torch.Tensor, torch.Tensor]]") -> None:
        for i, (scale, zero_point) in enumerate(found[:MOST]):
            ev.tensor(f"{stage}_scale:{i}", scale)
            ev.tensor(f"{stage}_zero_point:{i}", zero_point)

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        exception = evidence.exception or {}
        if exception.get("type") == "AssertionError" and "Guard failed: x.size()[0] ==" in exception.get("message", ""):
            symptom = "A graph refuses batches of another size than the example has."
            yield self.failed("three graphs", "static-batch", symptom)
        elif "Calling train() or eval() is not supported" in exception.get("message", ""):
            symptom = "`eval()` or `train()` was called on a graph."
            yield self.failed("for inference", "eval-on-a-graph", symptom)
        elif "'tuple' object has no attribute 'transform_for_annotation'" in exception.get("message", ""):
            yield self.failed("three graphs", "quantizer-and-source", "A tuple was given to `prepare_pt2e`.")

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        if evidence.facts["returned"] != ["graph"] * len(STAGES):
            symptom = "The function does not return three graphs: exported, prepared, quantized."
            detail = f"it returns: {', '.join(evidence.facts['returned'])}"
            yield Finding(None, False, "form", symptom, self.misconceptions["form"], detail)
            return
        exported, prepared, quantized = (evidence.graph(stage) for stage in STAGES)
        order = [_stage_of(graph) for graph in (exported, prepared, quantized)]
        if sorted(order) == sorted(STAGES) and order != list(STAGES):
            symptom, why = "The three graphs come in another order.", self.misconceptions["other-order"]
            detail = f"asked for: {', '.join(STAGES)}; yours: {', '.join(order)}"
            yield Finding(None, False, "other-order", symptom, why, detail)
            return
        yield from self._stages(exported, prepared)
        inference = self._inference(case, evidence, exported)
        calibrated = self._calibrated(case, evidence, prepared, quantized)
        if inference.misconception and not calibrated.passed and not calibrated.misconception:
            # Dropout made the observed values random, or batch norm moved them: that is no mistake of its own.
            symptom = "The observers have seen what train mode computes."
            if inference.misconception == "statistics-moved":
                symptom = "The observers have seen what the net computes with other statistics."
            calibrated = self.failed("calibrated", inference.misconception, symptom)
        other = inference.passed and _grids(quantized) != _reference(case, "all")["grids"]
        if other and not calibrated.passed and not calibrated.misconception:
            symptom = "Other values are quantized than with the quantizer of this lesson, or with other integers."
            calibrated = self.failed("calibrated", "another-quantizer", symptom)
        yield from (inference, calibrated)
        yield self._converted(case, evidence, quantized, calibrated.passed, other)
        yield self._caller(evidence)

    def _stages(self, exported: GraphFacts, prepared: GraphFacts) -> Iterator[Finding]:
        criterion, fine = "three graphs", True
        if changed := [n.name for n in exported.nodes if _is_observer(exported, n) or _is_qdq(n)]:
            fine = False
            symptom = "The exported graph is not as `torch.export` made it any more: there are observers or q/dq in it."
            yield self.failed(criterion, "prepared-in-place", symptom, graph="exported", mark=tuple(changed[:3]))
        if changed := [n.name for n in prepared.nodes if _is_qdq(n)]:
            fine = False
            symptom = "The prepared graph has quantize and dequantize nodes in place of its observers."
            yield self.failed(criterion, "converted-in-place", symptom, graph="prepared", mark=tuple(changed[:3]))
        elif not any(_is_observer(prepared, n) for n in prepared.nodes):
            fine = False
            yield self.failed(criterion, None, "The second of the three graphs has no observers.")
        if fine:
            yield self.passed(criterion)

    def _inference(self, case: Case, evidence: Evidence, exported: GraphFacts) -> Finding:
        import torch

        criterion = "for inference"
        wanted = _reference(case, "all")["exported_output"]
        if training := [n.name for n in exported.nodes if _trains(n)]:
            symptom = "The exported graph computes in train mode."
            return self.failed(criterion, "train-mode", symptom, graph="exported", mark=tuple(training))
        output = evidence.tensor("exported_output")
        same = output.shape == wanted.shape and torch.allclose(output, wanted, rtol=1e-3, atol=1e-4)
        if not same and not any(_is_qdq(n) for n in exported.nodes):
            moved = _moved_outputs(case.model, case.seed)
            like = (output.shape == m.shape and torch.allclose(output, m, rtol=1e-3, atol=1e-4) for m in moved)
            kind = "statistics-moved" if any(like) else None
            symptom = "The exported graph computes something else than the model in eval mode."
            return self.failed(criterion, kind, symptom)
        return self.passed(criterion)

    def _calibrated(self, case: Case, evidence: Evidence, prepared: GraphFacts, quantized: GraphFacts) -> Finding:
        criterion = "calibrated"
        observers = self._read(evidence, "prepared")
        converted = self._read(evidence, "quantized")
        if any(_is_observer(quantized, n) for n in quantized.nodes) or not converted:
            return self.failed(criterion, "not-converted", "The third graph holds no quantized values to compare.")
        wanted = _reference(case, "all")
        right = same_qparams(converted, wanted["quantized"])
        if right and (not observers or same_qparams(observers, wanted["prepared"])):
            return self.passed(criterion)
        if right and not any(evidence.facts["has_data"]):
            symptom = "The quantized graph is right, but the prepared graph that is returned has seen no data."
            return self.failed(criterion, "copy-calibrated", symptom)
        if right:
            symptom = (
                "After the conversion the observers of the prepared graph have seen something else than the batches."
            )
            return self.failed(criterion, "learned-something-else", symptom)
        if same_qparams(converted, _reference(case, "none")["quantized"]):
            if not evidence.facts["batches_read"]:
                symptom = "No batch was taken: the scales are those of observers that have seen nothing."
                return self.failed(criterion, "no-calibration", symptom)
            if any(evidence.facts["has_data"]):
                symptom = (
                    "The observers have seen data, but the scales of the quantized graph are still the initial ones."
                )
                return self.failed(criterion, "calibrated-too-late", symptom)
            symptom = "The batches were taken, but the observers have seen none of them."
            return self.failed(criterion, "another-graph", symptom)
        if len(converted) == len(wanted["quantized"]) and _per_tensor(converted, wanted["quantized"]):
            symptom = "Weights have a single scale."
            return self.failed(criterion, "weight-per-tensor", symptom)
        if same_qparams(converted, _reference(case, "first")["quantized"]):
            return self.failed(criterion, "first-batch", "The scales are those of the first batch alone.")
        if any(same_qparams(converted, _reference(case, feed)["quantized"]) for feed in ("before", "after")):
            symptom = "The observers have learned from the example too."
            return self.failed(criterion, "learned-something-else", symptom)
        return self.failed(criterion, None, "Scales or zero points are not those that the batches give.")

    def _read(self, evidence: Evidence, stage: str) -> "list[tuple[torch.Tensor, torch.Tensor]]":
        present = [i for i in range(MOST) if evidence.has(f"{stage}_scale:{i}")]
        return [(evidence.tensor(f"{stage}_scale:{i}"), evidence.tensor(f"{stage}_zero_point:{i}")) for i in present]

    def _converted(
        self, case: Case, evidence: Evidence, quantized: GraphFacts, calibrated: bool, other: bool
    ) -> Finding:
        import torch

        criterion = "converted"
        if any(_is_observer(quantized, n) for n in quantized.nodes):
            return self.failed(criterion, "not-converted", "The third graph still has observers in it.")
        wanted = _reference(case, "all")
        # Without those of weights: with `fold_quantize=False` they stay in the graph, and the numbers are the same.
        qdq = sorted(n.target for n in quantized.nodes if _is_qdq(n) and _op(n) != "quantize_per_channel")
        if qdq and qdq != wanted["qdq"] and not any("per_channel" in target for target in qdq):
            return self.failed(criterion, "weight-per-tensor", "Weights have a single scale.")
        if qdq != wanted["qdq"]:
            symptom = "The third graph does not have the quantize and dequantize nodes that `convert_pt2e` makes."
            return self.failed(criterion, "another-quantizer" if other else None, symptom)
        output, reference = evidence.tensor("quantized_output"), wanted["quantized_output"]
        step = float(wanted["quantized"][-1][0])  # the dequantize node in front of the output
        near = output.shape == reference.shape and bool(torch.isfinite(output).all())
        if calibrated and not (near and (output - reference).abs().max().item() <= 1.01 * step):
            return self.failed(criterion, None, "The quantized graph computes something else than it should.")
        return self.passed(criterion)

    def _caller(self, evidence: Evidence) -> Finding:
        criterion = "caller's model untouched"
        if evidence.facts["weights_changed"]:
            symptom = "Weights or running statistics of the caller's model have changed."
            return self.failed(criterion, "caller-weights", symptom)
        if evidence.facts["mode_changed"]:
            symptom = "The caller's model is in another mode (train or eval) than before."
            return self.failed(criterion, "caller-mode", symptom)
        return self.passed(criterion)


class _Counted(list[Any]):
    """A list that counts how many of its items were taken in a loop."""

    read = 0

    def __iter__(self) -> Iterator[Any]:
        for item in super().__iter__():
            self.read += 1
            yield item


def _is_observer(graph: GraphFacts, node: NodeFacts) -> bool:
    kind = graph.modules.get(node.target, {}).get("type", "")
    return node.op == "call_module" and kind.endswith(("Observer", "Quantize"))


def _is_qdq(node: NodeFacts) -> bool:
    return node.op == "call_function" and node.target.startswith("quantized_decomposed.")


def _stage_of(graph: GraphFacts) -> str:
    """Which of the three stages a graph looks like."""
    if any(_is_qdq(n) for n in graph.nodes):
        return "quantized"
    return "prepared" if any(_is_observer(graph, n) for n in graph.nodes) else "exported"


def _grids(graph: GraphFacts) -> list[str]:
    """The ops of the dequantize nodes with their integers: limits and type."""
    nodes = [n for n in graph.nodes if _is_qdq(n) and _op(n).startswith("dequantize")]
    return sorted(f"{n.target} {n.args[3:]}" for n in nodes)


def _op(node: NodeFacts) -> str:
    return node.target.removeprefix("quantized_decomposed.").partition(".")[0]


def _trains(node: NodeFacts) -> bool:
    """Whether a node is a batch norm or a dropout whose flag `training` is on."""
    places = {"aten.batch_norm.default": 5, "aten.dropout.default": 2}
    place = places.get(node.target)
    return place is not None and len(node.args) > place and node.args[place] is True


def _per_tensor(found: "list[tuple[torch.Tensor, torch.Tensor]]", wanted: "list[Any]") -> bool:
    pairs = zip(found, wanted, strict=True)
    return all(f[0].numel() == 1 for f in found) and any(w[0].numel() > 1 for _f, w in pairs)


def _model(name: str, seed: int) -> "nn.Module":
    """A net whose batch norms have seen data, in train mode."""
    import torch
    from torch import nn

    from common.data import random_batches
    from common.models import get_model

    model = get_model(name, seed=seed).train()
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.eval()  # no random numbers here: probe and judge must build the same model
    with torch.no_grad():
        for batch in random_batches(16, batch_size=8, seed=seed + 1, scale=2.0):
            model(*batch)
    return model.train()


def _example(seed: int) -> "tuple[torch.Tensor]":
    """Far larger than the batches, so that it shows when the observers have learned from it."""
    from common.models import example_inputs

    return (5 * example_inputs(batch=2, seed=seed + 2)[0],)


def _batches(seed: int) -> "list[tuple[torch.Tensor]]":
    """Three batches, the last one smaller and wider than the others."""
    from common.data import random_batches

    batches = list(random_batches(11, batch_size=4, seed=seed + 3))
    return [*batches[:-1], (1.5 * batches[-1][0],)]


def _inputs(seed: int) -> "tuple[torch.Tensor]":
    from common.models import example_inputs

    return example_inputs(batch=3, seed=seed + 4)


def _snapshot(model: "nn.Module") -> "tuple[list[bool], dict[str, torch.Tensor]]":
    tensors = {k: v.detach().clone() for k, v in model.state_dict().items()}
    return [m.training for m in model.modules()], tensors


def _equal(a: "Mapping[str, torch.Tensor]", b: "Mapping[str, torch.Tensor]") -> bool:
    import torch

    return a.keys() == b.keys() and all(torch.equal(a[k], b[k]) for k in a)


def _reference(case: Case, feed: str) -> dict[str, Any]:
    return _own_ptq(case.model, case.seed, feed)


@lru_cache(maxsize=64)
def _own_ptq(model: str, seed: int, feed: str) -> dict[str, Any]:
    """The judge's own PTQ. `feed`: all batches, none, the first, or all with the example before or after them."""
    import copy

    import torch

    from common.graph_utils import qdq_nodes
    from common.pt2e import convert_pt2e, export_module, get_xnnpack_quantizer, prepare_pt2e

    batches, example = _batches(seed), _example(seed)
    data = {"all": batches, "none": [], "first": batches[:1], "before": [example, *batches]}
    exported = export_module(_model(model, seed).eval(), example)
    with torch.no_grad():
        exported_output = exported(*_inputs(seed))
        prepared = prepare_pt2e(exported, get_xnnpack_quantizer()[0])
        for batch in data.get(feed, [*batches, example]):
            prepared(*batch)
        observers, _has_data = observer_qparams(prepared)
        quantized = convert_pt2e(copy.deepcopy(prepared))
        return {
            "grids": _grids(GraphFacts(graph_facts(quantized))),
            "exported_output": exported_output,
            "prepared": observers,
            "quantized": converted_qparams(quantized),
            "qdq": sorted(str(n.target) for n in qdq_nodes(quantized)),
            "quantized_output": quantized(*_inputs(seed)),
        }


@lru_cache(maxsize=16)
def _moved_outputs(name: str, seed: int) -> "list[torch.Tensor]":
    """What the model computes in eval mode after forwards in train mode: with the example, the batches, or both."""
    import torch

    found = []
    example, batches = _example(seed), _batches(seed)
    for feed in ([example], batches, batches[:1], [example, *batches], [*batches, example]):
        model = _model(name, seed)
        with torch.no_grad():
            for batch in feed:
                model(*batch)
            found.append(model.eval()(*_inputs(seed)))
    return found
