"""Count the ops of an exported graph by their short name."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from common.checks._nets import exported
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder

GUARDS = "_guards_fn"


class OpCounts(Exercise):
    """op_counts(gm): count the ops of a graph by their short name."""

    id = "m00_1.op_counts"
    kind = "practice"
    minutes = 10
    criteria = {"names": 1, "only ops": 1, "how many": 2}
    must_return = True
    parameters = ("gm",)
    not_allowed = ("op_counts", "short", "diff_ops")
    hints = (
        "Not every node is an op. Which of the six kinds of node computes something with a function?",
        "The name of the function is in `node.target`, not in `node.name`. An overload knows the op that it belongs to: "
        "`node.target.overloadpacket`.",
        "`str(torch.ops.aten.relu)` is `'aten.relu'`: the part behind the last dot is the short name. A plain Python "
        "function has no `overloadpacket`, but a `__name__`.",
    )
    misconceptions = {
        "not-an-op": "Inputs, parameters and the output are nodes as well, but they compute nothing. Only a "
        "`call_function` node is an op.",
        "guards": "`_guards_fn` is a module that checks the shapes of the inputs (`call_module`). It is no op.",
        "node-names": "A node's name is made unique: the second relu is called `relu_1`. What the node computes is in "
        "its target.",
        "overloads-apart": "`mean.default` and `mean.dim` are two overloads (two lists of parameters) of one op, `mean`.",
        "full-name": "`aten.` is the library that the op belongs to. The short name is without it.",
        "python-function": "Not every target is an overload of torch: to take one of several outputs, the graph calls "
        "Python's `getitem`.",
        "in-place": "`relu_` and `relu` are two ops: the underscore says that `relu_` writes into the tensor that it reads.",
        "each-once": "An op may occur at many places, and each place counts.",
    }
    public_cases = (Case(model="residual"), Case(model="gated_halves"))
    facts = {
        "is_dict": {"type": "boolean"},
        "kinds": {"type": "array", "items": {"type": "string"}, "maxItems": 200},
        "counts": {"type": "object", "additionalProperties": {"type": ["number", "object", "null"]}},
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        returned = ev.call(answer, exported(case.model, case.seed))
        ev.fact("is_dict", isinstance(returned, dict))
        if isinstance(returned, dict):
            ev.fact("kinds", sorted({type(k).__name__ for k in returned}))
            with ev.student("the counts were read as numbers"):
                ev.fact("counts", {str(k): float(n) for k, n in list(returned.items())[:200]})

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        message = (evidence.exception or {}).get("message", "")
        unexpected = "builtin_function_or_method" in message and "has no attribute" in message
        plain = any(n.op == "call_function" and not hasattr(n.target, "_schema") for n in _nodes(case))
        # Its text is "<built-in function getitem>": there is no second part behind a dot.
        cut = plain and (evidence.exception or {}).get("type") == "IndexError"
        if unexpected or cut:
            symptom = "The target of a node is a plain Python function, and that was not expected."
            yield self.failed("names", "python-function", symptom)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        from common.graph_utils import op_counts

        gm = exported(case.model, case.seed)
        wanted = op_counts(gm)
        kinds = set(evidence.facts.get("kinds", []))
        if not evidence.facts["is_dict"] or not kinds <= {"str"}:
            symptom = "The result is not a Counter whose keys are strings."
            yield Finding(None, False, "form", symptom, detail=f"keys of type: {', '.join(kinds) or 'none'}")
            return
        found = {k: int(n) for k, n in evidence.facts["counts"].items() if n}
        nodes = {n.name for n in gm.graph.nodes if n.op in ("placeholder", "get_attr", "output")}
        nodes |= {str(n.target) for n in gm.graph.nodes if n.op in ("placeholder", "get_attr", "output")}
        others = {k for k in found if k in {*nodes, GUARDS, "placeholder", "get_attr", "output", "call_module"}}
        yield self._names(gm, wanted, set(found) - others)
        yield self._only(found, others)
        yield self._how_many(wanted, found)

    def _names(self, gm: Any, wanted: Counter[str], names: set[str]) -> Finding:
        strange, missing = names - set(wanted), set(wanted) - names
        if not strange and not missing:
            return self.passed("names")
        detail = f"strange: {', '.join(sorted(strange)) or 'none'}; missing: {', '.join(sorted(missing)) or 'none'}"
        calls = [n for n in gm.graph.nodes if n.op == "call_function"]
        node_names = {n.name for n in calls} | {re.sub(r"_\d+$", "", n.name) for n in calls}
        kind, symptom = None, "The names are not the short names of the ops."
        if strange and strange <= node_names:
            kind, symptom = "node-names", "The names are those of the nodes, and not of what they compute."
        elif strange and all(s.startswith("aten") and s not in wanted for s in strange):
            kind, symptom = "full-name", "The names are longer than the short names of the ops."
        elif strange and any("." in s and s.partition(".")[0] in wanted for s in strange):
            kind, symptom = "overloads-apart", "Overloads of one op are counted under different names."
        elif missing and all(m.endswith("_") for m in missing):
            kind, symptom = "in-place", "An op that works in place is counted under the name of another op."
        elif "getitem" in missing and missing <= {"getitem"}:
            kind, symptom = "python-function", "A target that is a plain Python function has another name, or none."
        return self.failed("names", kind, symptom, detail=detail)

    def _only(self, found: dict[str, int], others: set[str]) -> Finding:
        if not found:
            return self.failed("only ops", None, "Nothing was counted.")
        if not others:
            return self.passed("only ops")
        kind = "guards" if others <= {GUARDS, "call_module"} else "not-an-op"
        symptom = "There is something in the result that is no op."
        return self.failed("only ops", kind, symptom, detail=f"no ops: {', '.join(sorted(others))}")

    def _how_many(self, wanted: Counter[str], found: dict[str, int]) -> Finding:
        both = set(wanted) & set(found)
        if both == set(wanted) and all(found[k] == wanted[k] for k in both):
            return self.passed("how many")
        kind = "each-once" if both and all(found[k] == 1 for k in both) and max(wanted.values()) > 1 else None
        wrong = [f"{k}: yours {found.get(k, 0)}, counted {wanted[k]}" for k in wanted if found.get(k, 0) != wanted[k]]
        return self.failed("how many", kind, "Not every number is right.", detail="; ".join(wrong))


def _nodes(case: Case) -> Any:
    return exported(case.model, case.seed).graph.nodes
