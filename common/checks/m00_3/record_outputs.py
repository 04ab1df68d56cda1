"""Record what each op of a graph computes, as it was when it was computed."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from common.checks._nets import exported
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import TENSOR, Evidence, Recorder
from common.exercise.graphs import GRAPH, graph_facts

if TYPE_CHECKING:
    import torch
    from torch import fx

MAX_OPS = 60


class RecordOutputs(Exercise):
    """record_outputs(gm, x): run a graph and return what each op computed, by node name."""

    id = "m00_3.record_outputs"
    kind = "core"
    minutes = 20
    criteria = {"every op": 1, "values": 2, "graph left alone": 1}
    must_return = True
    parameters = ("gm", "x")
    not_allowed = (
        "node_outputs",
        "prepare_for_propagation_comparison",
        "extract_results_from_loggers",
        "compare_results",
    )
    hints = (
        "`gm(x)` gives the last value only. Something has to walk over the nodes and see each value: a loop of your "
        "own as in section 2, or a subclass of `fx.Interpreter`.",
        "In the subclass, override `run_node(self, n)`: call `super().run_node(n)`, look at the result, return it.",
        "An op that works in place writes into a tensor that you have already stored. Store a copy (`.clone()`) at "
        "the moment when the value is computed.",
    )
    misconceptions = {
        "aliased": "A dictionary holds the tensor itself and not its values. An op that works in place (`relu_`, `add_`) "
        "writes into the tensor of an earlier node, directly or through a view of it. `detach()` shares the memory "
        "too: only a copy, made at once, is safe.",
        "hooks-on-modules": "A forward hook belongs to a module. In an exported graph the layers are not modules any "
        "more: their ops are `call_function` nodes, and no hook ever sees them.",
        "freed": "An Interpreter frees each value after its last use, and a loop may do the same. What is left at the "
        "end is not what was computed on the way.",
        "empty": "A forward hook sees modules only, and an Interpreter has freed the values when its run is over. Who wants "
        "to keep a value has to take it at the moment when it is computed.",
        "run-node-returns-nothing": "The value that `run_node` returns is the value of the node. Without a `return` it is "
        "None, and that is what the next nodes get.",
        "not-a-tensor": "Not every op gives a tensor: `chunk` gives a list of tensors, and a list has no `clone`. Look at the "
        "kind of the value first.",
        "buffers": "A `get_attr` node can name a parameter or a buffer, such as the running mean of a batch norm. "
        "`get_parameter` finds the parameters only.",
        "copy-passed-on": "The copy is for the record. If the next nodes get it too, an op that works in place no longer "
        "writes into the tensor of an earlier node, so the graph computes something else.",
        "other-type": "The record holds what the node computed, in the type (dtype) in which it was computed.",
        "fake-values": "`node.meta['val']` was made while the graph was exported: it has a shape and a dtype, but no "
        "numbers. Values exist only when the graph runs.",
        "only-the-output": "The output of the graph is one value. Each op in front of it computes a value too.",
        "keyed-by-op": "A graph may call one op several times. Only the name of the node says which call is meant.",
        "keys-are-nodes": "The keys are names (`node.name`), so that the values of two graphs can be compared. A node "
        "belongs to one graph only.",
        "only-used-values": "A node whose value nobody reads has computed one all the same, and an op in place has an "
        "effect as well.",
        "graph-changed": "The caller goes on to use this graph. Whoever wants to change a graph in order to watch it "
        "changes a copy.",
        "nodes-not-values": "The arguments of a node are nodes, which are places in a program. Before the op is called, "
        "each of them has to be exchanged for the value that was computed there, inside lists too.",
    }
    public_cases = (
        Case(model="conv_relu"),
        Case(model="in_place", seed=1),
    )
    facts = {
        "mapping": {"type": "boolean"},
        "keys": {"type": "array", "maxItems": 300, "items": {"type": "string"}},
        "nodes_as_keys": {"type": "boolean"},
        "kinds": {"type": "object", "additionalProperties": {"type": "string"}},
        "after": GRAPH,
    } | {f"value:{i}": TENSOR for i in range(MAX_OPS)}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        import torch
        from torch import fx
        from torch._subclasses import FakeTensor

        gm = exported(case.model, case.seed)
        ops = op_names(gm)
        returned = ev.call(answer, gm, _x(case))
        ev.graph("after", gm)
        with ev.student("the result was read"):
            ev.fact("mapping", isinstance(returned, Mapping))
            found = dict(returned) if isinstance(returned, Mapping) else {}
            ev.fact("nodes_as_keys", any(isinstance(key, fx.Node) for key in found))
            ev.fact("keys", [str(key)[:200] for key in found][:300])
            kinds = {}
            for i, name in enumerate(ops):
                if name in found:
                    value = found[name]
                    kinds[name] = type(value).__name__
                    if isinstance(value, torch.Tensor) and not isinstance(value, FakeTensor):
                        ev.tensor(f"value:{i}", value)
            ev.fact("kinds", kinds)

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        message = (evidence.exception or {}).get("message", "")
        signs = ("instead found type 'Node'", "Expected a value of type 'List[Tensor]'", "must be Tensor, not Node")
        if any(sign in message for sign in signs):
            symptom = "An op was called on a node instead of on the value of that node."
            yield self.failed("values", "nodes-not-values", symptom)
        elif re.search(
            r"'(list|tuple)' object has no attribute '(clone|detach|copy_|cpu|numpy)'|must be Tensor, not (list|tuple)",
            message,
        ):
            symptom = "A value that is no tensor was copied as if it were one."
            yield self.failed("every op", "not-a-tensor", symptom, detail=message)
        elif "is not an nn.Parameter" in message:
            symptom = "A buffer was looked up as if it were a parameter."
            yield self.failed("every op", "buffers", symptom, detail=message)
        elif "NoneType" in message and "While executing %" in message:
            symptom = "A node got None instead of the value that it reads."
            yield self.failed("every op", "run-node-returns-nothing", symptom, detail=message.partition("\n")[0])

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        gm = exported(case.model, case.seed)
        wanted, kept = record(gm, _x(case))
        keys = set(evidence.facts["keys"])
        complete = self._every_op(gm, evidence, list(wanted), keys)
        yield complete
        if any(name in evidence.facts["kinds"] for name in wanted):
            passed_on = record(gm, _x(case), pass_on=True)
            yield self._values(evidence, op_names(gm), wanted, kept, passed_on)
        else:
            yield replace(complete, criterion="values")  # without any value there is nothing else to say
        if evidence.graph("after").raw == graph_facts(exported(case.model, case.seed)):
            yield self.passed("graph left alone")
        else:
            symptom = "The caller's graph is not as it was."
            yield self.failed("graph left alone", "graph-changed", symptom, graph="after")

    def _every_op(self, gm: "fx.GraphModule", evidence: Evidence, wanted: list[str], keys: set[str]) -> Finding:
        missing = [name for name in wanted if name not in keys or evidence.facts["nodes_as_keys"]]
        if not missing:
            return self.passed("every op")
        nodes = {n.name: n for n in gm.graph.nodes}
        kind, symptom = None, "Some ops of the graph are missing in the result."
        if not evidence.facts["mapping"]:
            kind, symptom = "only-the-output", "The result is not a dictionary {name: tensor}."
        elif evidence.facts["nodes_as_keys"]:
            kind, symptom = "keys-are-nodes", "The keys of the result are nodes, not names."
        elif len(missing) < len(wanted):
            if all(not nodes[name].users for name in missing):
                kind, symptom = "only-used-values", "Ops whose value nobody reads are missing in the result."
            elif len(missing) == len(wanted) - 1 and wanted[-1] in keys:
                kind, symptom = "only-the-output", "Only the last op of the graph is in the result."
            elif keys & op_spellings(gm) - set(nodes):
                kind, symptom = "keyed-by-op", "The keys of the result are names of ops, not of nodes."
        elif keys & op_spellings(gm):
            kind, symptom = "keyed-by-op", "The keys of the result are names of ops, not of nodes."
        elif not keys:
            kind, symptom = "empty", "The result is empty."
        elif keys - {"_guards_fn", ""} == {"output"}:
            kind, symptom = "freed", "Only the value of the output is left in the result."
        elif keys <= {name for name, _module in gm.named_modules()}:
            kind, symptom = "hooks-on-modules", "The result holds no op of the graph at all."
        detail = f"missing: {', '.join(missing)}; keys of the result: {', '.join(sorted(keys)) or 'none'}"
        return self.failed("every op", kind, symptom, detail=detail)

    def _values(
        self,
        evidence: Evidence,
        ops: list[str],
        wanted: "Tensors",
        kept: "Tensors",
        passed_on: "tuple[Tensors, Tensors]",
    ) -> Finding:
        import torch

        kinds = evidence.facts["kinds"]
        for name, value in wanted.items():
            if name not in kinds:
                continue
            detail = f"node {name}, which computed a Tensor of shape {tuple(value.shape)}"
            fact = f"value:{ops.index(name)}"
            if not evidence.has(fact):
                fake = kinds[name] == "FakeTensor"
                symptom = "The result holds something else than a tensor with values."
                detail += f"; in the result: {kinds[name]}"
                return self.failed("values", "fake-values" if fake else None, symptom, detail=detail)
            got = evidence.tensor(fact)
            # The same ops on the same machine with one thread give the same bits: no tolerance is needed.
            if got.dtype == value.dtype and torch.equal(got, value):
                continue
            if got.dtype != value.dtype:
                symptom = "A recorded tensor is of another type (dtype) than what its node computed."
                detail += f", {value.dtype}; in the result: {got.dtype}"
                return self.failed("values", "other-type", symptom, detail=detail)
            if torch.equal(got, passed_on[0][name]) and not torch.equal(got, kept[name]):
                symptom = "A recorded tensor lacks what an op in place has written on the way."
                return self.failed("values", "copy-passed-on", symptom, detail=detail)
            if torch.equal(got, kept[name]) or torch.equal(got, passed_on[1][name]):
                symptom = "A recorded tensor does not hold what its node computed, but what was written into it later."
                return self.failed("values", "aliased", symptom, detail=detail)
            symptom = "A recorded tensor is not what its node computes for this input."
            return self.failed("values", None, symptom, detail=detail)
        return self.passed("values")


Tensors = dict[str, "torch.Tensor"]


def op_names(gm: "fx.GraphModule") -> list[str]:
    """Return the names of all ops of a graph, in order."""
    return [n.name for n in gm.graph.nodes if n.op == "call_function"]


def op_spellings(gm: "fx.GraphModule") -> set[str]:
    """Return how the targets of a graph may be written, apart from what is a node's name too."""
    from common.graph_utils import short

    targets = [n.target for n in gm.graph.nodes if n.op == "call_function"]
    spelled = (
        {str(t) for t in targets} | {short(t) for t in targets} | {str(getattr(t, "__name__", t)) for t in targets}
    )
    return spelled - set(op_names(gm))


def record(gm: "fx.GraphModule", x: "torch.Tensor", pass_on: bool = False) -> tuple[Tensors, Tensors]:
    """Return the values of all ops as they were computed, and what the same tensors hold at the end of the run.

    With `pass_on` each op reads copies of what was computed, which is wrong: an op in place then writes into a copy.
    """
    import torch
    from torch import fx

    computed: Tensors = {}
    kept: Tensors = {}

    class Recording(fx.Interpreter):
        def run_node(self, n: fx.Node) -> Any:
            value = super().run_node(n)
            if n.op == "call_function" and isinstance(value, torch.Tensor):
                value = value.clone() if pass_on else value
                computed[n.name], kept[n.name] = value.clone(), value
            return value

    with torch.no_grad():
        Recording(gm).run(x)
    return computed, kept


def _x(case: Case) -> "torch.Tensor":
    from common.models import example_inputs

    return example_inputs(batch=2, seed=case.seed + 7)[0]
