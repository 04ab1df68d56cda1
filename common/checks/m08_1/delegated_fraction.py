"""How much of a program goes to the backend: ops inside delegates, ops outside."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from common.checks.m08_1._files import as_number, edge_program
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import NUMBER, Evidence, Recorder


class DelegatedFraction(Exercise):
    """delegated_fraction(program): the share of a program's ops that run inside delegates."""

    id = "m08_1.delegated_fraction"
    kind = "practice"
    minutes = 15
    criteria = {"all or nothing": 1, "in parts": 3}
    parameters = ("program",)
    must_return = True
    needs = ("executorch",)
    not_allowed = ("delegated_graphs", "get_delegation_info")
    hints = (
        "Two numbers: the ops in the program's own graph, and the ops in the graphs that went into delegates.",
        "A lowered module is an attribute of `program.graph_module`; what it replaced is its `original_module`, an "
        "exported program with a graph of its own.",
        "Nodes that only arrange things are no ops: the call of a delegate and `operator.getitem`. `is_op(node)` tells.",
    )
    misconceptions = {
        "getitem-counted": "A delegate gives a list, and getitem takes a tensor out of it. That is bookkeeping, and no "
        "work that XNNPACK has left to others.",
        "one-delegate": "Where an op in the middle stays outside, what lies before it and behind it are two delegates. "
        "Add up all of them.",
        "delegates-as-ops": "The call of a delegate is one node that stands for many ops. Look into it: its ops are in "
        "`original_module`.",
        "other-way-round": "Asked for is what went into delegates, and not what was left outside.",
        "percent": "Asked for is a fraction between 0 and 1, and not per cent.",
        "all-or-nothing": "A program can be delegated in part: XNNPACK takes what it has kernels for, and the rest stays.",
    }
    public_cases = (Case(model="conv_relu"), Case(model="conv_bn_drop"))
    facts = {"answer": {"anyOf": [NUMBER, {"type": "null"}]}}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        returned = ev.call(answer, edge_program(case))
        ev.fact("answer", as_number(returned))

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        inside, _outside, _getitem = _counts(case)
        if (evidence.exception or {}).get("type") == "AttributeError" and len(inside) != 1:
            message = str((evidence.exception or {}).get("message", ""))
            if "lowered_module_" in message:
                symptom = "A lowered module is looked for that the program does not have."
                yield self.failed("all or nothing" if not inside else "in parts", "one-delegate", symptom)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        said = evidence.facts["answer"]
        if said is None:
            yield Finding(None, False, "form", "What is returned is not a number.")
            return
        inside, outside, getitem = _counts(case)
        right = sum(inside) / (sum(inside) + outside)
        whole = right in (0.0, 1.0)
        mine, other = ("all or nothing", "in parts") if whole else ("in parts", "all or nothing")
        yield self.passed(other)
        if _near(said, right):
            yield self.passed(mine)
            return
        first, calls = (inside or [0])[0], len(inside)
        known = {
            "getitem-counted": [
                sum(inside) / (sum(inside) + outside + extra) for extra in {getitem, getitem + calls} - {0}
            ],
            "other-way-round": [1 - right],
            "percent": [100 * right],
            "one-delegate": [
                first / (first + outside),
                first / (sum(inside) + outside),
                inside[-1] / (inside[-1] + outside),
            ]
            if calls > 1
            else [],
            "delegates-as-ops": [(top := calls) / max(1, top + outside + extra) for extra in (0, getitem, 2 * getitem)]
            if calls
            else [],
            "all-or-nothing": [0.0, 1.0] if not whole else [],
        }
        kind = next((name for name, values in known.items() if any(_near(said, v) for v in values)), None)
        symptoms = {
            "getitem-counted": "The fraction is too small: more than ops was counted outside.",
            "other-way-round": "The fraction is that of the ops outside.",
            "percent": "The fraction is a hundred times too large.",
            "one-delegate": "The program has more than one delegate, and only one was counted.",
            "delegates-as-ops": "Calls of delegates were counted in place of what is inside.",
            "all-or-nothing": "The program is delegated in part, and the answer says: all, or nothing.",
        }
        symptom = symptoms.get(kind or "", "The fraction is another one.")
        detail = f"inside: {' + '.join(map(str, inside)) or 0}, outside: {outside}; yours: {said:.4g}"
        yield self.failed(mine, kind, symptom, detail=detail)


def _near(a: float, b: float) -> bool:
    return abs(a - b) < 1e-4


def _counts(case: Case) -> tuple[list[int], int, int]:
    return _counts_once(case)


@lru_cache(maxsize=32)
def _counts_of(model: str, seed: int, fp32: bool, partitioner: bool) -> tuple[tuple[int, ...], int, int]:
    from common.backends.xnnpack import delegated_graphs, is_op

    program = edge_program(Case(model=model, seed=seed, fp32=fp32, partitioner=partitioner))
    inside = tuple(sum(is_op(n) for n in gm.graph.nodes) for gm in delegated_graphs(program))
    outside = sum(is_op(n) for n in program.graph.nodes)
    getitem = sum(n.op == "call_function" and "getitem" in n.name for n in program.graph.nodes)
    return inside, outside, getitem


def _counts_once(case: Case) -> tuple[list[int], int, int]:
    inside, outside, getitem = _counts_of(
        case.model, case.seed, bool(case.get("fp32", False)), bool(case.get("partitioner", True))
    )
    return list(inside), outside, getitem
