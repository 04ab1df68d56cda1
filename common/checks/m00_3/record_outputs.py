"""Record what each op of a graph computes, as it was when it was computed."""

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

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        gm = exported(case.model, case.seed)
        wanted, kept = record(gm, _x(case))
        keys = set(evidence.facts["keys"])
        complete = self._every_op(gm, evidence, list(wanted), keys)
        yield complete
        if any(name in evidence.facts["kinds"] for name in wanted):
            yield self._values(evidence, op_names(gm), wanted, kept)
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
        elif keys - {"_guards_fn", ""} == {"output"}:
            kind, symptom = "freed", "Only the value of the output is left in the result."
        elif keys <= {name for name, _module in gm.named_modules()}:
            kind, symptom = "hooks-on-modules", "The result holds no op of the graph at all."
        detail = f"missing: {', '.join(missing)}; keys of the result: {', '.join(sorted(keys)) or 'none'}"
        return self.failed("every op", kind, symptom, detail=detail)

    def _values(self, evidence: Evidence, ops: list[str], wanted: "Tensors", kept: "Tensors") -> Finding:
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
            if torch.equal(got, kept[name]):
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


def record(gm: "fx.GraphModule", x: "torch.Tensor") -> tuple[Tensors, Tensors]:
    """Return the values of all ops as they were computed, and what the same tensors hold at the end of the run."""
    import torch
    from torch import fx

    computed: Tensors = {}
    kept: Tensors = {}

    class Recording(fx.Interpreter):
        def run_node(self, n: fx.Node) -> Any:
            value = super().run_node(n)
            if n.op == "call_function" and isinstance(value, torch.Tensor):
                computed[n.name], kept[n.name] = value.clone(), value
            return value

    with torch.no_grad():
        Recording(gm).run(x)
    return computed, kept


def _x(case: Case) -> "torch.Tensor":
    from common.models import example_inputs

    return example_inputs(batch=2, seed=case.seed + 7)[0]
