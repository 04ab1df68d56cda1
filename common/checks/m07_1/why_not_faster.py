"""Two runs compared by their kernels: what is gone, what is new, and what follows."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from common.checks.m07_1._functions import (
    COUNTS,
    FIRST_CALL,
    Late,
    as_counts,
    chain,
    example,
    graph_function,
    has_engine,
    integer_function,
)
from common.checks.m07_2._graphs import quantized
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder

WORDS = ("int8", "same", "more", "other")


class WhyNotFaster(Exercise):
    """why_not_faster(before, after, x): compare two functions by the kernels that they run."""

    id = "m07_1.why_not_faster"
    kind = "core"
    minutes = 15
    criteria = {"gone": 1, "extra": 1, "why": 2}
    must_return = True
    parameters = ("before", "after", "x")
    hints = (
        "`kernels(before, x)` and `kernels(after, x)` are two Counters. What does `-` do with two Counters?",
        "a - b keeps what a has more of than b, and leaves out what is 0 or less. So one direction gives what is gone, and the "
        "other one what is extra.",
        "For the word, ask in the order of the table: is any kernel of the *second* run an int8 kernel? Are both "
        "differences empty? Is nothing gone?",
    )
    misconceptions = {
        "swapped": "What is *gone* was run before and is not run any more. What is *extra* is run only after.",
        "names-only": "A kernel that ran once and now runs five times is extra four times, although its name is not new. "
        "Compare numbers, not sets of names.",
        "all-of-it": "Only the difference is asked for: what both runs have in common is neither gone nor extra.",
        "negative": "A number below 0 says that the other side has more. `a - b` of two Counters leaves such "
        "entries out; `subtract` keeps them.",
        "qdq-is-int8": "Quantize and dequantize round values. As long as the convolution or the linear between them is "
        "run by a float kernel, nothing is computed in int8.",
        "first-call": "A first call may prepare things that are kept for later calls. Compare calls that are warm: `kernels` sees "
        "to this.",
        "int8-before": "The first line of the table asks about *after*. An int8 kernel that runs only in *before* is gone, and "
        "that is another kind of change.",
        "int8-not-seen": "Look at the names of the second run's kernels first: if one of them is an int8 kernel, this is the "
        "answer, whatever else has changed.",
        "not-gone": "“More” means: all the old work, and something on top. As soon as an old kernel is gone, it is "
        "another kind of change.",
        "same-work": "Where nothing is gone and nothing is extra, both do the same work.",
    }
    public_cases = (
        Case(model="conv_relu", after="xnnpack"),
        Case(model="linear_relu", after="same", seed=1),
        Case(model="conv_relu", after="engine", seed=2),
        Case(ops=["relu", "mul"], then=["relu", "mul", "mul"], seed=3),
        Case(ops=["int8", "round"], then=["relu", "round", "round"], seed=4),
        Case(ops=["int8", "mul"], then=["int8", "mul"], seed=5),
    )
    facts = {
        "form": {"type": "boolean"},
        "gone": COUNTS,
        "extra": COUNTS,
        "why": {"type": ["string", "null"]},
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        before, after = _functions(case)
        returned = ev.call(answer, before, after, example(case))
        form, found = isinstance(returned, Mapping), dict[str, Any]()
        with ev.student("the dict was read"):
            found = {name: returned.get(name) for name in ("gone", "extra", "why")} if form else {}
            counts = {name: as_counts(found.get(name)) for name in ("gone", "extra")}
        form = form and all(c is not None for c in counts.values()) and isinstance(found["why"], str)
        ev.fact("form", form)
        for name, c in counts.items():
            ev.fact(name, c if form and c else {})
        ev.fact("why", found["why"] if form else None)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        if not evidence.facts["form"] or evidence.facts["why"] not in WORDS:
            words = ", ".join(f'"{w}"' for w in WORDS)
            symptom = f'What is returned is not a dict with "gone" and "extra" (Counters) and "why" (one of {words}).'
            yield Finding(None, False, "form", symptom)
            return
        from common.profiling import kernels

        one, two = (kernels(fn, example(case)) for fn in _functions(case))
        wanted = {"gone": one - two, "extra": two - one}
        said = {name: evidence.facts[name] for name in wanted}
        if said["gone"] == wanted["extra"] and said["extra"] == wanted["gone"] and said["gone"] != said["extra"]:
            for name in wanted:
                yield self.failed(name, "swapped", "What is gone and what is extra are the wrong way round.")
        else:
            for name, (mine, other) in {"gone": (one, two), "extra": (two, one)}.items():
                yield self._counts(name, said[name], wanted[name], mine, other)
        yield self._why(evidence.facts["why"], one, two)

    def _counts(
        self, name: str, said: dict[str, int], wanted: Counter[str], mine: Counter[str], other: Counter[str]
    ) -> Finding:
        if said == wanted:
            return self.passed(name)
        detail = f"{name}: expected {dict(wanted)}, yours {said}"
        only = {k: n for k, n in mine.items() if k not in other}
        if any(n < 0 for n in said.values()):
            return self.failed(name, "negative", "There are numbers below 0.", detail=detail)
        if FIRST_CALL & (set(said) - set(wanted)):
            return self.failed(
                name, "first-call", "There are kernels in it that only a first call runs.", detail=detail
            )
        if said == mine:
            return self.failed(name, "all-of-it", "Everything that one of the runs does is counted.", detail=detail)
        if said in (only, dict.fromkeys(only, 1)):
            symptom = "Kernels of which only the number has changed are not counted."
            return self.failed(name, "names-only", symptom, detail=detail)
        return self.failed(name, None, f"The kernels that are {name} are other ones.", detail=detail)

    def _why(self, said: str, one: Counter[str], two: Counter[str]) -> Finding:
        truth = _word(one, two)
        if said == truth:
            return self.passed("why")
        detail = f"on this machine: {truth}; yours: {said}"
        if said == "int8" and _word(two, one) == "int8":
            symptom = "An int8 kernel of the first run is taken for one of the second."
            return self.failed("why", "int8-before", symptom, detail=detail)
        if said == "int8":
            symptom = "Two runs without any int8 kernel in the second are called int8."
            return self.failed("why", "qdq-is-int8", symptom, detail=detail)
        if said == "same" and truth != "int8" and set(one) == set(two):
            symptom = "Two runs of the same kernels, but not each as often, are called the same."
            return self.failed("why", "names-only", symptom, detail=detail)
        kinds = {
            "int8": ("int8-not-seen", "An int8 kernel in the second run is not seen."),
            "other": ("not-gone", "Two runs are said to share all their old work, and they do not."),
            "same": ("same-work", "Two runs of the same kernels are said to differ."),
            "more": (None, "The second run does all the work of the first, and more, and this is not said."),
        }
        kind, symptom = kinds[truth]
        return self.failed("why", kind, symptom, detail=detail)


def _word(one: Counter[str], two: Counter[str]) -> str:
    """The judge's own reference."""
    from common.profiling import computes_in_int8

    if any(computes_in_int8(name) for name in two):
        return "int8"
    if one == two:
        return "same"
    return "other" if one - two else "more"


def _functions(case: Case) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The two functions of a case: an fp32 graph, and its Q/DQ graph, itself, another net, or an int8 kernel."""

    def graph(model: str, quantizer: str) -> Late:
        return Late(quantized(Case(model=model, quantizer=quantizer, seed=case.seed)))

    if "ops" in case:
        return chain(case.ops), chain(case.then, late=True)
    before = graph_function(Case(model=case.model, quantizer=case.get("before", "none"), seed=case.seed))
    if case.after == "engine":
        return before, integer_function() if has_engine() else graph(case.model, "xnnpack")
    if case.after == "net":
        return before, graph(case.net, "none")
    return before, graph(case.model, "none" if case.after == "same" else case.after)
