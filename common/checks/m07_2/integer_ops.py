"""Which ops of a reference representation are integer: those inside out_dtype."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from common.checks.m07_2._graphs import integer_graph
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder

if TYPE_CHECKING:
    from torch import fx


class IntegerOps(Exercise):
    """integer_ops(gm): count the ops that a graph computes in int32."""

    id = "m07_2.integer_ops"
    kind = "practice"
    minutes = 10
    criteria = {"which ops": 2, "how many": 2}
    parameters = ("gm",)
    not_allowed = ("out_dtype_ops",)
    hints = (
        "Print the nodes of a graph that holds such an op, with `node.target` and `node.args`. Where is the op that "
        "is computed?",
        "A node of interest has the target `torch.ops.higher_order.out_dtype`. It is an op that takes an op.",
        "`node.args[0]` is the op inside; `short(...)` gives its short name.",
    )
    misconceptions = {
        "counts-out-dtype": "out_dtype only says in which type to compute. *What* is computed is the op that it takes "
        "as its first argument.",
        "all-of-that-name": "The same op occurs in fp32 as well: each dequantize that is written out has a mul. Only "
        "those inside an out_dtype node are computed in int32.",
        "by-name-of-node": "A node's name is a label that anybody may give it. What it computes is in `node.target`.",
        "full-name": "The short name of an op is asked for, without namespace and overload.",
        "each-kind-once": "Each op inside an out_dtype node counts, so an op that occurs twice counts 2.",
    }
    public_cases = (Case(form="add"), Case(form="nothing", seed=1))
    facts = {
        "form": {"type": "boolean"},
        "counts": {"type": "object", "maxProperties": 200, "additionalProperties": {"type": "integer"}},
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        returned = ev.call(answer, integer_graph(case))
        with ev.student("the counts were read"):
            items = dict(returned).items() if isinstance(returned, Mapping) else ()
        whole = isinstance(returned, Mapping) and all(type(n) is int for _key, n in items)
        ev.fact("form", whole)
        ev.fact("counts", {str(key): n for key, n in items if n} if whole else {})

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        if not evidence.facts["form"]:
            yield Finding(
                None, False, "form", "What is returned is not a Counter (or dict) from names to whole numbers."
            )
            return
        from common.lowering import out_dtype_ops

        gm = integer_graph(case)
        wanted, found = out_dtype_ops(gm), Counter(evidence.facts["counts"])
        detail = f"in this graph: {dict(wanted) or 'none'}; yours: {dict(found) or 'none'}"
        kind = self._kind(gm, wanted, found)
        if set(wanted) == set(found):
            yield self.passed("which ops")
        else:
            symptom = "The names in the Counter are not those of the ops that are computed in int32."
            yield self.failed("which ops", kind, symptom, detail=detail)
        if wanted == found:
            yield self.passed("how many")
        else:
            yield self.failed("how many", kind, "The numbers are not right.", detail=detail)

    def _kind(self, gm: "fx.GraphModule", wanted: Counter[str], found: Counter[str]) -> str | None:
        from common.graph_utils import op_counts, short

        calls = [n for n in gm.graph.nodes if n.op == "call_function"]
        named = [n for n in calls if n.name.startswith("out_dtype")]
        inside = [n for n in calls if short(n.target) == "out_dtype"]
        outside = op_counts(gm)
        if any(name.count("out_dtype") for name in found):
            return "counts-out-dtype"
        if any("." in name or ":" in name for name in found):
            return "full-name"
        by_name = Counter(short(n.args[0]) if n in inside else short(n.target) for n in named)
        if len(named) != len(inside) or by_name != wanted:
            guesses = (by_name, Counter({k: v for k, v in by_name.items() if k in wanted}), Counter())
            if found in guesses:
                return "by-name-of-node"
        if wanted and set(found) == set(wanted) and all(n == 1 for n in found.values()):
            return "each-kind-once"
        more = [name for name in found if found[name] > wanted[name]]
        if more and all(found[name] in (outside[name], outside[name] + wanted[name]) for name in more):
            return "all-of-that-name"
        return None
