"""Which kernels does a call run, and how often?"""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from common.checks.m07_1._functions import COUNTS, as_counts, example, graph_function
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder

if TYPE_CHECKING:
    import torch


class KernelCalls(Exercise):
    """kernel_calls(fn, x): count the kernels that a call of fn runs."""

    id = "m07_1.kernel_calls"
    kind = "core"
    minutes = 20
    criteria = {"kernels": 2, "how often": 1, "which call": 1}
    must_return = True
    parameters = ("fn", "x")
    not_allowed = ("kernels", "kernels_among", "call_tree")
    hints = (
        "Two things to do: profile the right call, then choose among its events. Begin with the first: "
        "`with cpu_profile() as prof: fn(x)`, and `prof.events()`.",
        "An event is a kernel if it is an op call that is no memory op, and nothing inside of it is one. The events "
        "directly inside are in `event.cpu_children`; look into those as well.",
        "A function that calls itself helps: busy(e) = is_op(e) and e.name not in MEMORY_OPS; inside(e) = any("
        "busy(c) or inside(c) for c in e.cpu_children). A kernel is busy, and nothing inside is.",
    )
    misconceptions = {
        "counts-wrappers": "conv2d calls convolution, which calls _convolution, which calls the kernel: one piece of work with "
        "four names. Only the last of them computes.",
        "counts-memory": "Allocating and copying is no computing. The ops in MEMORY_OPS are no kernels.",
        "leaves-only": "A kernel may call ops too: it allocates its result, for example. What counts is that nothing "
        "*but* memory ops is inside.",
        "outermost-only": "The outermost events are the ops that the graph names. Which kernel does the work stands "
        "further inside.",
        "looks-one-level-down": "Between an op and the ops that it calls there may be other events: memory ops, or remarks that "
        "are no op calls. Look into those as well, at any depth, and judge op calls only.",
        "counts-remarks": "Not every event is an op call. Remarks of the profiler, such as a name that somebody gave to a part "
        "of the program, are none: `is_op(event)` is False for them, wherever they stand.",
        "by-name": "The same op can be a wrapper in one call and a kernel in another. So each event is judged by "
        "what is inside of *it*, not by its name.",
        "first-call": "The first call may prepare things that are kept for later calls. What a call runs is seen from the "
        "second one on.",
        "several-calls": "Only one call may lie inside of the profiler, else its kernels are counted more than once.",
        "each-once": "The same kernel may run many times in one call, and each run counts.",
    }
    public_cases = (
        Case(model="conv_relu", quantizer="none", late=False),
        Case(model="conv_relu", quantizer="xnnpack", late=True, seed=1),
        Case(model="linear_relu", quantizer="none", parts=True, seed=2),
    )
    facts = {"form": {"type": "boolean"}, "counts": COUNTS}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        returned = ev.call(answer, graph_function(case), example(case))
        with ev.student("the counts were read"):
            counts = as_counts(returned)
        ev.fact("form", counts is not None)
        ev.fact("counts", counts or {})

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        if not evidence.facts["form"]:
            yield Finding(None, False, "form", "What is returned is not a Counter (or dict) from names to numbers.")
            return
        from common.profiling import kernels_among

        said = evidence.facts["counts"]
        first, second = _profiles(graph_function(case), example(case))
        truth = kernels_among(second)
        detail = f"expected: {_words(truth)}; yours: {_words(said)}"
        if said == truth:
            yield from (self.passed(criterion) for criterion in self.criteria)
            return
        for criterion, kind, symptom, choose in _known():
            for events in (second, first):
                late = "which call" if events is first and case.get("late") else None
                if said == choose(events) != kernels_among(events):
                    yield from self._told(criterion, kind, symptom, late, detail)
                    return
        if case.get("late") and said == kernels_among(first):
            symptom = "There are kernels in it that only the first call runs."
            yield from self._told("which call", "first-call", symptom, None, detail)
        elif said in ({k: 2 * n for k, n in truth.items()}, truth + kernels_among(first)):
            yield from self._told("which call", "several-calls", "More than one call was counted.", None, detail)
        elif case.get("late") and said == {k: n // 2 for k, n in (truth + kernels_among(first)).items() if n // 2}:
            symptom = "Two calls were profiled, and half of their kernels is not what one warm call runs."
            yield from self._told("which call", "several-calls", symptom, None, detail)
        elif said == dict.fromkeys(truth, 1):
            yield from self._told("how often", "each-once", "Each kernel is counted once.", None, detail)
        elif set(said) == set(truth):
            yield from self._told("how often", None, "The numbers are other ones.", None, detail)
        else:
            yield self.failed("kernels", None, "Other kernels are counted than those that ran.", detail=detail)

    def _told(self, criterion: str, kind: str | None, symptom: str, also: str | None, detail: str) -> Iterator[Finding]:
        yield self.failed(criterion, kind, symptom, detail=detail)
        if also:
            yield self.failed(also, "first-call", "The first call was profiled.")
        yield from (self.passed(c) for c in self.criteria if c not in (criterion, also))


def _profiles(fn: Callable[..., Any], x: "torch.Tensor") -> tuple[list[Any], list[Any]]:
    from common.env import cpu_profile

    found = []
    for _call in range(2):
        with cpu_profile() as prof:
            fn(x)
        found.append(list(prof.events() or []))
    return found[0], found[1]


def _known() -> list[tuple[str, str, str, Callable[[list[Any]], Counter[str]]]]:
    """Known mistakes in the choice of events: criterion, misconception, symptom, and what it counts."""
    from common.profiling import MEMORY_OPS, is_op, kernels_among

    def busy(event: Any) -> bool:
        return is_op(event) and event.name not in MEMORY_OPS

    def nothing_inside(event: Any) -> bool:
        return all(e.name in MEMORY_OPS and nothing_inside(e) for e in event.cpu_children)

    def innermost_names(events: list[Any]) -> Counter[str]:
        wrappers = {e.name for e in events if busy(e) and not kernels_among([e])}
        return Counter(e.name for e in events if busy(e) and e.name not in wrappers)

    def names_of_no_parent(events: list[Any]) -> Counter[str]:
        parents = {e.cpu_parent.name for e in events if busy(e) and e.cpu_parent}
        return Counter(e.name for e in events if busy(e) and e.name not in parents)

    def counted(keep: Callable[[Any], bool]) -> Callable[[list[Any]], Counter[str]]:
        return lambda events: Counter(e.name for e in events if keep(e))

    wrappers, memory = "Ops are counted that only hand on their work.", "Ops that only handle memory are counted."
    outermost = "The outermost ops are counted, and not what they run."
    leaf = "Kernels are missing that call memory ops themselves."
    level = "What is inside of an op is looked at one level deep only, or in op calls only."
    name = "An op that is a kernel in one call, and none in another, is left out."
    remarks = "Events that are no op calls are counted, or taken for work inside of an op."
    return [
        ("kernels", "counts-wrappers", wrappers, counted(lambda e: is_op(e) and e.name not in MEMORY_OPS)),
        ("kernels", "counts-wrappers", wrappers, counted(is_op)),
        ("kernels", "counts-wrappers", wrappers, counted(lambda _e: True)),
        ("kernels", "outermost-only", outermost, counted(lambda e: is_op(e) and e.cpu_parent is None)),
        ("kernels", "outermost-only", outermost, counted(lambda e: e.cpu_parent is None)),
        ("kernels", "counts-memory", memory, counted(lambda e: not e.cpu_children)),
        ("kernels", "counts-memory", memory, counted(lambda e: is_op(e) and not e.cpu_children)),
        (
            "kernels",
            "leaves-only",
            leaf,
            counted(lambda e: is_op(e) and not e.cpu_children and e.name not in MEMORY_OPS),
        ),
        (
            "kernels",
            "counts-memory",
            memory,
            counted(lambda e: is_op(e) and not any(map(busy, _below(e)))),
        ),
        (
            "kernels",
            "looks-one-level-down",
            level,
            counted(lambda e: busy(e) and not any(map(busy, e.cpu_children))),
        ),
        (
            "kernels",
            "looks-one-level-down",
            level,
            counted(lambda e: busy(e) and all(c.name in MEMORY_OPS for c in e.cpu_children)),
        ),
        ("kernels", "counts-remarks", remarks, counted(lambda e: busy(e) and nothing_inside(e))),
        (
            "kernels",
            "counts-remarks",
            remarks,
            counted(lambda e: e.name not in MEMORY_OPS and nothing_inside(e)),
        ),
        (
            "kernels",
            "counts-remarks",
            remarks,
            counted(lambda e: e.name not in MEMORY_OPS and not any(map(busy, _below(e)))),
        ),
        ("kernels", "by-name", name, innermost_names),
        ("kernels", "by-name", name, names_of_no_parent),
    ]


def _below(event: Any) -> list[Any]:
    from common.profiling import below

    return list(below(event))


def _words(counts: Any) -> str:
    return ", ".join(f"{name} × {n}" for name, n in sorted(counts.items())[:12]) or "none"
