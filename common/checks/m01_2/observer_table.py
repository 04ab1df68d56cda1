"""Read the observers of a prepared graph: what each one watches, its qparams, who reads it, and what it shares."""

import copy
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from common.checks.m01_2._stages import names, nodes_of, observers_of, stage
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder

if TYPE_CHECKING:
    from torch import fx

KEYS = ("kind", "scale", "zero_point", "readers", "shares_with")
_NUMBERS = {"type": "array", "maxItems": 500, "items": {"type": ["number", "object"]}}


class ObserverTable(Exercise):
    """observer_table(prepared): for each observed value: kind, qparams, readers, and which values share the observer."""

    id = "m01_2.observer_table"
    kind = "practice"
    minutes = 15
    criteria = {"places": 1, "qparams": 1, "readers": 1, "sharing": 1}
    must_return = True
    parameters = ("prepared",)
    hints = (
        "Go through `observer_nodes(prepared)`: pairs of a node and the observer that it calls. The observed value is "
        "what the node reads.",
        "`calculate_qparams()` gives two tensors, with one number or one for each channel: `.tolist()` of the flattened "
        "tensor has them all. The readers are `node.users`.",
        "Two values share when the *same object* stands behind both: collect the names by `id(observer)` first.",
    )
    misconceptions = {
        "modules-not-nodes": "`named_modules()` lists each object once. An observer that stands at two places is called "
        "by two nodes: go through the nodes.",
        "observer-named": "The question is which value is observed: that is what the observer reads, `node.args[0]`, and "
        "not the observer's own name.",
        "weights-left-out": "Weights are observed as well. They are `get_attr` nodes.",
        "every-module": "A `call_module` node calls any module. Only some of them are observers.",
        "first-channel": "An observer per channel has a scale and a zero point for each channel.",
        "readers-of-the-value": "The observed value is read by its observer. Who reads on behind it are the users of the "
        "*observer's* node.",
        "with-itself": "A value does not share with itself.",
        "by-numbers": "Equal numbers are not the same observer: two objects can have seen the same values. Sharing means "
        "one object, and only that is bound to stay equal.",
        "never-shared": "A shared observer has a submodule name at each place, but it is one and the same object: compare "
        "the objects (`is`, `id(observer)`), not their names.",
        "by-name": "A name is a label: prepare calls its nodes activation_post_process, but an observer can stand there under "
        "any name. `observer_nodes` looks at what a node calls.",
        "swapped": "`calculate_qparams()` gives the scale first, and the zero point second.",
        "by-kind": "Two observers of one class are two observers, each with a range of its own.",
    }
    public_cases = (Case(model="residual"), Case(model="conv_bn_drop", seed=1))
    facts = {
        "form": {"type": "string"},
        "rows": {
            "type": "object",
            "maxProperties": 200,
            "additionalProperties": {
                "type": "object",
                "required": list(KEYS),
                "properties": {
                    "kind": {"type": "string"},
                    "scale": _NUMBERS,
                    "zero_point": _NUMBERS,
                    "readers": {"type": "number"},
                    "shares_with": {"type": "array", "items": {"type": "string"}},
                },
            },
        },
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        returned = ev.call(answer, _graph(case))
        rows, form = {}, "" if isinstance(returned, dict) else "the result is no dict"
        with ev.student("the table was read"):
            for name, row in list(returned.items())[:200] if isinstance(returned, dict) else ():
                shares = names(row.get("shares_with")) if isinstance(row, dict) else None
                if not isinstance(name, str):
                    form = "a key is not a name"
                elif not isinstance(row, dict) or not set(KEYS) <= set(row):
                    form = "a row is no dict with the five keys"
                elif shares is None:
                    form = "'shares_with' does not hold names (it is empty, [], where nothing is shared)"
                elif not isinstance(row["readers"], (int, float)):
                    form = "'readers' is not a number"
                else:
                    numbers = {key: _numbers(row[key]) for key in ("scale", "zero_point")}
                    rows[name] = {
                        "kind": str(row["kind"])[:200],
                        "readers": float(row["readers"]),
                        "shares_with": shares,
                        **numbers,
                    }
        ev.fact("form", form)
        ev.fact("rows", rows)

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        message = (evidence.exception or {}).get("message", "")
        if "elements cannot be converted to Scalar" in message:
            yield self.failed("qparams", "first-channel", "`.item()` takes one number, and this observer has several.")
        elif "object has no attribute 'calculate_qparams'" in message and "Observer'" not in message:
            yield self.failed("places", "every-module", "A module that is no observer was asked for its qparams.")

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        if evidence.facts["form"]:
            symptom = "The result does not have the form that the exercise asks for."
            yield Finding(None, False, "form", symptom, "", evidence.facts["form"])
            return
        gm, rows = _graph(case), evidence.facts["rows"]
        wanted = _table(gm)
        yield self._places(case, gm, rows, wanted)
        shown = [name for name in wanted if name in rows]
        if not shown:
            for criterion in ("qparams", "readers", "sharing"):
                yield self.failed(criterion, None, "None of the observed values is in the table.")
            return
        yield self._qparams(rows, wanted, shown)
        yield self._readers(gm, rows, wanted, shown)
        yield self._sharing(rows, wanted, shown)

    def _places(self, case: Case, gm: "fx.GraphModule", rows: dict[str, Any], wanted: dict[str, Any]) -> Finding:
        missing, extra = set(wanted) - set(rows), set(rows) - set(wanted)
        nodes = nodes_of(gm)
        if not missing and not extra:
            other = [name for name in wanted if rows[name]["kind"] != wanted[name]["kind"]]
            if not other:
                return self.passed("places")
            detail = f"{other[0]}: yours {rows[other[0]]['kind']}, there is {wanted[other[0]]['kind']}"
            return self.failed("places", None, "The kind of an observer is not the name of its class.", detail=detail)
        modules = [n for n in nodes.values() if n.op == "call_module"]
        calls = {n.name for n in modules} | {str(n.target) for n in modules}
        kind, symptom = None, "The keys of the table are not the names of the observed values."
        if extra and extra <= calls:
            kind, symptom = "observer-named", "The keys of the table are names of observers."
        elif extra and not missing:
            kind, symptom = "every-module", "There is a row for a value that is not observed."
        elif missing and all(set(wanted[name]["shares_with"]) & set(rows) for name in missing):
            kind, symptom = "modules-not-nodes", "A value that shares its observer with another one has no row."
        elif missing and not extra and missing == {case.get("renamed")}:
            kind, symptom = "by-name", "A value whose observer stands there under another name has no row."
        elif missing and all(nodes[name].op == "get_attr" for name in missing):
            kind, symptom = "weights-left-out", "A weight has no row."
        detail = "; ".join(
            title + ", ".join(sorted(n)) for title, n in (("missing: ", missing), ("too much: ", extra)) if n
        )
        return self.failed("places", kind, symptom, detail=detail)

    def _qparams(self, rows: dict[str, Any], wanted: dict[str, Any], shown: list[str]) -> Finding:
        pairs = [(rows[n]["scale"], rows[n]["zero_point"], wanted[n]["zero_point"], wanted[n]["scale"]) for n in shown]
        if all(a == c and b == d for a, b, c, d in pairs):
            return self.failed("qparams", "swapped", "Scale and zero point are exchanged.")
        for name in shown:
            for key, allowed in (("scale", 1e-6), ("zero_point", 0.0)):
                got, true = rows[name][key], wanted[name][key]
                same = len(got) == len(true) and all(
                    isinstance(a, (int, float)) and abs(a - b) <= allowed * abs(b)
                    for a, b in zip(got, true, strict=True)
                )
                if not same:
                    few = len(got) == 1 < len(true)
                    symptom = "An observer with several scales has only one in the table."
                    symptom = symptom if few else "A scale or zero point is not that of the observer."
                    detail = f"{name}: {key}: yours {_few(got)}, the observer's {_few(true)}"
                    return self.failed("qparams", "first-channel" if few else None, symptom, detail=detail)
        return self.passed("qparams")

    def _readers(self, gm: "fx.GraphModule", rows: dict[str, Any], wanted: dict[str, Any], shown: list[str]) -> Finding:
        wrong = [name for name in shown if rows[name]["readers"] != wanted[name]["readers"]]
        if not wrong:
            return self.passed("readers")
        nodes = nodes_of(gm)
        of_value = all(rows[name]["readers"] == len(nodes[name].users) for name in shown)
        detail = f"{wrong[0]}: yours {rows[wrong[0]]['readers']:g}, counted {wanted[wrong[0]]['readers']}"
        symptom = "The number of readers of an observer is not right."
        return self.failed("readers", "readers-of-the-value" if of_value else None, symptom, detail=detail)

    def _sharing(self, rows: dict[str, Any], wanted: dict[str, Any], shown: list[str]) -> Finding:
        got = {name: set(rows[name]["shares_with"]) for name in shown}
        true = {name: set(wanted[name]["shares_with"]) for name in shown}
        wrong = [name for name in shown if got[name] != true[name]]
        if not wrong:
            return self.passed("sharing")

        def alike(key: Any) -> bool:
            return all(got[a] == {b for b in wanted if b != a and key(b) == key(a)} for a in shown)

        kind, symptom = None, "The values that share an observer are not right."
        if all(got[name] == true[name] | {name} or (got[name] == {name}) for name in wrong):
            kind, symptom = "with-itself", "A value is said to share with itself."
        elif not any(got.values()):
            kind, symptom = "never-shared", "Values that share one observer are said to share with none."
        elif alike(lambda n: (wanted[n]["scale"], wanted[n]["zero_point"])):
            kind, symptom = "by-numbers", "Two values are said to share one observer, and they have two."
        elif alike(lambda n: wanted[n]["kind"]):
            kind, symptom = "by-kind", "Two values are said to share one observer, and they have two."
        detail = f"{wrong[0]}: yours {sorted(got[wrong[0]])}, in the graph {sorted(true[wrong[0]])}"
        return self.failed("sharing", kind, symptom, detail=detail)


def _few(numbers: list[Any]) -> str:
    shown = ", ".join(f"{v:.6g}" if isinstance(v, (int, float)) else str(v) for v in numbers[:3])
    return f"[{shown}{', …' if len(numbers) > 3 else ''}]"


def _numbers(value: Any) -> list[float]:
    """Numbers in any form that a student may choose: a tensor, a list, or a single one."""
    import torch

    if isinstance(value, (list, tuple)) and value and all(isinstance(v, torch.Tensor) for v in value):
        value = torch.stack([v.flatten() for v in value])
    return torch.as_tensor(value, dtype=torch.float64).detach().flatten()[:500].tolist()


def _table(gm: "fx.GraphModule") -> dict[str, dict[str, Any]]:
    found = observers_of(gm)
    groups: dict[int, list[str]] = {}
    for _node, observer, name in found:
        groups.setdefault(id(observer), []).append(name)
    rows: dict[str, dict[str, Any]] = {}
    for node, observer, name in found:
        scale, zero_point = observer.calculate_qparams()
        rows[name] = {
            "kind": type(observer).__name__,
            "scale": scale.double().flatten().tolist(),
            "zero_point": zero_point.double().flatten().tolist(),
            "readers": len(node.users),
            "shares_with": sorted(n for n in groups[id(observer)] if n != name),
        }
    return rows


def _graph(case: Case) -> "fx.GraphModule":
    """The prepared graph of a case.

    `untie`: the observer of this value is exchanged for a copy, so that it shares no longer.
    `module_behind`: an ordinary module is put behind this node.
    `renamed`: the observer of this value stands there under another name.
    """
    from torch import nn

    from common.graph_utils import splice

    gm = stage(case, "prepared")
    if case.get("untie"):
        node, observer = next((n, o) for n, o, name in observers_of(gm) if name == case.untie)
        setattr(gm, str(node.target), copy.deepcopy(observer))
    if case.get("renamed"):
        node, observer = next((n, o) for n, o, name in observers_of(gm) if name == case.renamed)
        gm.add_submodule("watcher", observer)
        node.target, node.name = "watcher", "watcher"
        gm.recompile()
    if case.get("module_behind"):
        splice(gm, nodes_of(gm)[case.module_behind], nn.Hardtanh(), "limit")
        gm.recompile()
    return gm
