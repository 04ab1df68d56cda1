"""Export for inference, with a batch dimension that stays free."""

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import TENSOR, Evidence, Recorder
from common.exercise.graphs import GRAPH, GraphFacts

if TYPE_CHECKING:
    import torch
    from torch import nn

BATCHES = (2, 7)
_FLAG = {"type": "boolean"}


class ExportDynamic(Exercise):
    """export_dynamic(model, example): export for inference, with a free batch dimension."""

    id = "m00_1.export_dynamic"
    kind = "core"
    minutes = 15
    criteria = {"a graph of ops": 1, "free batch": 2, "for inference": 2, "caller's model untouched": 1}
    must_return = True
    parameters = ("model", "example")
    not_allowed = ("export_module",)
    hints = (
        "Three things are fixed at the moment of the export: the mode of the model, the branches that Python takes, and "
        "every size that you do not declare to be free.",
        "`dynamic_shapes` has one entry for each input. Export takes a size of 1 for a constant, whatever you declare: what "
        "can you do to an example of batch 1? And what can you do to a model that is not to be changed?",
        "`copy.deepcopy(model).eval()`; `torch.cat([x, x])` for each input `x` of the example; "
        "`tuple({0: torch.export.Dim.AUTO} for x in example)`; and `.module()` at the end.",
    )
    misconceptions = {
        "program": "`torch.export.export` returns an ExportedProgram: graph, signature and weights, side by side. "
        "`.module()` puts them together to a GraphModule that can be called and changed.",
        "lifted": "The graph inside of an ExportedProgram takes the weights as inputs, in front of the data. "
        "`.module()` makes `get_attr` nodes of them.",
        "not-exported": "A graph of module calls or of Python methods is what torch.fx traces. `torch.export` goes down "
        "to the ops of ATen, and that is what quantizers look for.",
        "static-batch": "`torch.export` takes every size of the example for a constant, unless `dynamic_shapes` says that "
        "it is free.",
        "one-is-a-constant": "Export takes a size of 1 (or 0) for a constant even where it is declared to be free: too much "
        "in torch depends on whether a size is 1. The example must have a batch of 2 or more.",
        "one-input-only": "Each input has an entry of its own in `dynamic_shapes`, and models call their inputs as they like. "
        "An input without an entry keeps its size, and whatever is combined with it as well.",
        "train-mode": "Export records what the model does in its present mode. In train mode batch norm uses the statistics "
        "of the batch and dropout drops at random, and the graph does so for ever.",
        "caller-mode": "`.eval()` changes the model it is called on, and every module in it. The caller who goes on with the "
        "training would train in the wrong mode.",
    }
    public_cases = (
        Case(model="conv_relu", batch=4, train=False),
        Case(model="conv_bn_drop", batch=4, train=True, seed=1),
        Case(model="reshape_linear", batch=1, train=False, seed=2),
    )
    facts = {
        "type": {"type": "string"},
        "graph": GRAPH,
        "mode_changed": _FLAG,
        "weights_changed": _FLAG,
        **{f"error:{b}": {"type": "string"} for b in BATCHES},
        **{f"output:{b}": TENSOR for b in BATCHES},
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        import torch
        from torch import fx

        model = _model(case.model, case.seed, case.train)
        before = _snapshot(model)
        returned = ev.call(answer, model, _inputs(case, case.batch))
        mode, weights = _snapshot(model)
        ev.fact("mode_changed", mode != before[0])
        ev.fact("weights_changed", any(not torch.equal(a, b) for a, b in zip(weights, before[1], strict=True)))
        ev.fact("type", type(returned).__name__)
        ev.graph("graph", returned)
        if not isinstance(returned, fx.GraphModule):
            return
        for size in BATCHES:
            try:
                with torch.no_grad():
                    ev.tensor(f"output:{size}", returned(*_inputs(case, size)))
                ev.fact(f"error:{size}", "")
            except Exception as error:  # whether it runs with this batch is what is asked for
                ev.fact(f"error:{size}", f"{type(error).__name__}: {error}"[:500])

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        message = (evidence.exception or {}).get("message", "")
        if case.batch == 1 and "specialized" in message and ("constant (1)" in message or "hint of 1" in message):
            symptom = "Export refuses to leave a batch of 1 free."
            yield self.failed("free batch", "one-is-a-constant", symptom)
        elif case.model == "two_inputs" and "dynamic_shapes" in message:
            symptom = "Export does not find an entry of `dynamic_shapes` for each input."
            yield self.failed("free batch", "one-input-only", symptom)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        kind = evidence.facts.get("type", "")
        if kind == "ExportedProgram":
            symptom = "The function returns an ExportedProgram, and not a graph module."
            yield self.failed("a graph of ops", "program", symptom)
        elif evidence.graph("graph").raw.get("not_a_graph"):
            symptom = "The function does not return a graph module."
            yield self.failed("a graph of ops", "program", symptom, detail=f"it returns: {kind}")
        else:
            graph = evidence.graph("graph")
            made = self._graph(case, graph)
            yield made
            if made.passed:
                yield self._batch(case, evidence)
                yield self._inference(case, evidence, graph)
        yield self._caller(evidence)

    def _graph(self, case: Case, graph: GraphFacts) -> Finding:
        criterion = "a graph of ops"
        inputs = [n.name for n in graph.nodes if n.op == "placeholder"]
        if len(inputs) > len(_inputs(case, 2)):
            symptom = "The graph has more inputs than the model."
            return self.failed(criterion, "lifted", symptom, graph="graph", mark=tuple(inputs[:3]))
        others = [n.name for n in graph.nodes if n.op == "call_method" or n.op == "call_module"]
        others = [n for n in others if n != "_guards_fn"]
        others += [n.name for n in graph.nodes if n.op == "call_function" and not _is_op(n.target)]
        if others:
            symptom = "There are nodes in the graph that are no ops."
            return self.failed(criterion, "not-exported", symptom, graph="graph", mark=tuple(others[:3]))
        return self.passed(criterion)

    def _batch(self, case: Case, evidence: Evidence) -> Finding:
        refused = [evidence.facts.get(f"error:{b}", "?") for b in BATCHES]
        if not any(refused):
            return self.passed("free batch")
        kind, symptom = None, "The graph does not run with a batch of another size than that of the example."
        message = next(e for e in refused if e)
        if "size()[0] ==" in message or "shape[0] to be equal to" in message:
            kind = "static-batch"
            if case.batch == 1:
                kind, symptom = "one-is-a-constant", "With an example of batch 1, the graph takes batches of 1 only."
            elif case.model == "two_inputs":
                kind, symptom = "one-input-only", "The batch of a net with two inputs is not free."
        return self.failed("free batch", kind, symptom, detail=message)

    def _inference(self, case: Case, evidence: Evidence, graph: GraphFacts) -> Finding:
        import torch

        criterion = "for inference"
        if training := [n.name for n in graph.nodes if _trains(n)]:
            symptom = "The graph computes in train mode."
            return self.failed(criterion, "train-mode", symptom, graph="graph", mark=tuple(training))
        for size in BATCHES:
            if evidence.facts.get(f"error:{size}", "?"):
                continue
            wanted, output = _reference(case, size), evidence.tensor(f"output:{size}")
            # The same ops on the same numbers; decomposed ones may round otherwise in the last digits.
            if output.shape != wanted.shape or not torch.allclose(output, wanted, rtol=1e-4, atol=1e-5):
                symptom = "The graph computes something else than the model in eval mode."
                return self.failed(criterion, None, symptom)
        return self.passed(criterion)

    def _caller(self, evidence: Evidence) -> Finding:
        criterion = "caller's model untouched"
        if evidence.facts["mode_changed"]:
            symptom = "The caller's model is in another mode (train or eval) than before."
            return self.failed(criterion, "caller-mode", symptom)
        if evidence.facts["weights_changed"]:
            return self.failed(criterion, None, "Weights or running statistics of the caller's model have changed.")
        return self.passed(criterion)


def _is_op(target: str) -> bool:
    return target.startswith("aten.") or target == "<built-in function getitem>"


def _trains(node: Any) -> bool:
    """Whether a node is a batch norm or a dropout whose flag `training` is on."""
    place = {"aten.batch_norm.default": 5, "aten.dropout.default": 2}.get(node.target)
    return place is not None and len(node.args) > place and node.args[place] is True


def _model(name: str, seed: int, train: bool) -> "nn.Module":
    """A net whose batch norms have seen data, so that train mode and eval mode differ."""
    import torch
    from torch import nn

    from common.data import random_batches
    from common.models import get_model

    if name == "two_inputs":
        return _two_inputs(seed).train(train)
    model = get_model(name, seed=seed).train()
    if any(isinstance(m, nn.BatchNorm2d) for m in model.modules()):
        with torch.no_grad(), torch.random.fork_rng(devices=[]):
            for batch in random_batches(16, batch_size=8, seed=seed + 1, scale=2.0):
                model(*batch)
    return model.train(train)


def _two_inputs(seed: int) -> "nn.Module":
    """conv(picture) · sigmoid(conv(mask)): two inputs that have the same batch."""
    import torch
    from torch import nn

    class TwoInputs(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv = nn.Conv2d(3, 4, 1)
            self.gate = nn.Conv2d(3, 4, 1)

        def forward(self, picture: "torch.Tensor", mask: "torch.Tensor") -> "torch.Tensor":
            return self.conv(picture) * torch.sigmoid(self.gate(mask))

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return TwoInputs()


def _inputs(case: Case, batch: int) -> "tuple[torch.Tensor, ...]":
    from common.models import example_inputs

    number = 2 if case.model == "two_inputs" else 1
    return tuple(example_inputs(batch, seed=case.seed + 3 + i)[0] for i in range(number))


def _snapshot(model: "nn.Module") -> "tuple[list[bool], list[torch.Tensor]]":
    return [m.training for m in model.modules()], [v.detach().clone() for v in model.state_dict().values()]


def _reference(case: Case, batch: int) -> "torch.Tensor":
    return _own(case.model, case.seed, batch)


@lru_cache(maxsize=64)
def _own(name: str, seed: int, batch: int) -> "torch.Tensor":
    """The model's own output in eval mode."""
    import torch

    with torch.no_grad():
        return _model(name, seed, False)(*_inputs(Case(model=name, seed=seed), batch))
