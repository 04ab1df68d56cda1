"""Export for inference, with a batch dimension that stays free."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from common.checks._nets import two_inputs
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import TENSOR, Evidence, Recorder
from common.exercise.graphs import GRAPH, GraphFacts

if TYPE_CHECKING:
    import torch
    from torch import nn

BATCHES = (2, 7)
LARGE = 300
"""A batch that no bound written down for the examples of this course reaches; only whether it runs is recorded."""
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
        "no-graph": "A module is no graph, in whatever mode it is. Asked for is what `.module()` makes of an ExportedProgram: a "
        "`GraphModule`, whose steps can be read and changed.",
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
        "bounded": "A named dimension can have bounds: with `max=…` the graph refuses every larger batch. Asked for was every "
        "batch of 2 or more.",
        "mode-of-the-graph": "An exported graph has no mode that could be changed: the flags are constants in it. The model "
        "has to be in eval mode before the export.",
        "counts-batches": "In train mode batch norm also counts its batches, and export has recorded that as an op of its own. "
        "Flags that are changed in the graph afterwards do not take it away.",
        "one-module": "Every module has a mode of its own, and a frozen batch norm is in eval mode inside of a model in train "
        "mode. `model.train()` and `model.eval()` set all modules alike.",
        "caller-mode": "`.eval()` changes the model it is called on, and every module in it. The caller who goes on with the "
        "training would train in the wrong mode.",
    }
    public_cases = (
        Case(model="conv_relu", batch=4, train=False),
        Case(model="conv_bn_drop", batch=4, train=True, other="bn", seed=1),
        Case(model="reshape_linear", batch=1, train=False, seed=2),
    )
    facts = {
        "type": {"type": "string"},
        "graph": GRAPH,
        "mode_changed": _FLAG,
        "own_mode_changed": _FLAG,
        "state_changed": _FLAG,
        "weights_changed": _FLAG,
        **{f"error:{b}": {"type": "string"} for b in (*BATCHES, LARGE)},
        **{f"output:{b}": TENSOR for b in BATCHES},
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        import torch
        from torch import fx

        model = _model(case.model, case.seed, case.train, case.get("other", ""))
        before = _snapshot(model)
        returned = ev.call(answer, model, _inputs(case, case.batch))
        mode, weights = _snapshot(model)
        ev.fact("mode_changed", mode != before[0])
        ev.fact("own_mode_changed", mode[0] != before[0][0])
        ev.fact("weights_changed", any(not torch.equal(a, b) for a, b in zip(weights, before[1], strict=True)))
        ev.fact("type", type(returned).__name__)
        ev.graph("graph", returned)
        if not isinstance(returned, fx.GraphModule):
            return
        state = {name: value.detach().clone() for name, value in returned.state_dict().items()}
        for size in (*BATCHES, LARGE):
            try:
                with torch.no_grad():
                    output = returned(*_inputs(case, size))
                if size in BATCHES:
                    ev.tensor(f"output:{size}", output)
                ev.fact(f"error:{size}", "")
            except Exception as error:  # whether it runs with this batch is what is asked for
                ev.fact(f"error:{size}", f"{type(error).__name__}: {error}"[:500])
        ev.fact("state_changed", any(not torch.equal(v, state[n]) for n, v in returned.state_dict().items()))

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        message = (evidence.exception or {}).get("message", "")
        if case.batch == 1 and "specialized" in message and ("constant (1)" in message or "hint of 1" in message):
            symptom = "Export refuses to leave a batch of 1 free."
            yield self.failed("free batch", "one-is-a-constant", symptom)
        elif case.model == "two_inputs" and "dynamic_shapes" in message:
            symptom = "Export does not find an entry of `dynamic_shapes` for each input."
            yield self.failed("free batch", "one-input-only", symptom)
        elif case.model == "two_inputs" and re.search(r"missing .* argument", message):
            symptom = "The model was not given all of its inputs."
            yield self.failed("free batch", "one-input-only", symptom)
        elif "eval() is not supported" in message or "train() is not supported" in message:
            symptom = "The mode of an exported graph was to be changed."
            yield self.failed("for inference", "mode-of-the-graph", symptom, detail=message)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        kind = evidence.facts.get("type", "")
        if kind == "ExportedProgram":
            symptom = "The function returns an ExportedProgram, and not a graph module."
            yield self.failed("a graph of ops", "program", symptom)
        elif evidence.graph("graph").raw.get("not_a_graph"):
            symptom = "The function does not return a graph module."
            yield self.failed("a graph of ops", "no-graph", symptom, detail=f"it returns: {kind}")
        else:
            graph = evidence.graph("graph")
            made = self._graph(case, graph)
            yield made
            if made.passed:
                yield self._batch(case, evidence)
                yield self._inference(case, evidence, graph)
        yield self._caller(case, evidence)

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
        refused = [evidence.facts.get(f"error:{b}", "?") for b in (*BATCHES, LARGE)]
        if not any(refused):
            return self.passed("free batch")
        kind, symptom = None, "The graph does not run with a batch of another size than that of the example."
        message = next(e for e in refused if e)
        if not any(refused[:-1]):
            symptom = "The graph does not run with a large batch."
            return self.failed("free batch", "bounded", symptom, detail=message)
        if "size()[0] ==" in message or "shape[0] to be equal to" in message:
            kind = "static-batch"
            if case.batch == 1 and re.search(r"(==|equal to) 1\b", message):
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
        if evidence.facts["state_changed"]:
            symptom = "Whenever the graph runs, something is changed that is stored in it."
            return self.failed(criterion, "counts-batches", symptom, graph="graph")
        for size in BATCHES:
            if evidence.facts.get(f"error:{size}", "?"):
                continue
            wanted, output = _reference(case, size), evidence.tensor(f"output:{size}")
            # The same ops on the same numbers; decomposed ones may round otherwise in the last digits.
            if output.shape != wanted.shape or not torch.allclose(output, wanted, rtol=1e-4, atol=1e-5):
                symptom = "The graph computes something else than the model in eval mode."
                return self.failed(criterion, None, symptom)
        return self.passed(criterion)

    def _caller(self, case: Case, evidence: Evidence) -> Finding:
        criterion = "caller's model untouched"
        if evidence.facts["mode_changed"]:
            if case.get("other") and not evidence.facts["own_mode_changed"]:
                symptom = "A module of the caller's model is in another mode (train or eval) than before."
                return self.failed(criterion, "one-module", symptom)
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


def _model(name: str, seed: int, train: bool, other: str = "") -> "nn.Module":
    """A net whose batch norms have seen data, so that train mode and eval mode differ; `other` is in the other mode."""
    import torch
    from torch import nn

    from common.data import random_batches
    from common.models import get_model

    if name == "two_inputs":
        return two_inputs(seed).train(train)
    model = get_model(name, seed=seed).train()
    if any(isinstance(m, nn.BatchNorm2d) for m in model.modules()):
        with torch.no_grad(), torch.random.fork_rng(devices=[]):
            for batch in random_batches(16, batch_size=8, seed=seed + 1, scale=2.0):
                model(*batch)
    model.train(train)
    if other:
        model.get_submodule(other).train(not train)
    return model


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
