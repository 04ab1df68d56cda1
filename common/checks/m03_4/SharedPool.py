"""A quantizer around another one: operations that only move or select values keep the scale of what they read."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from common.checks._nets import exported
from common.checks.m03_1._labels import make_spec
from common.checks.m03_4 import _places as pl
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder
from common.exercise.graphs import GRAPH, GraphFacts

Edge = tuple[str, str]


@dataclass(frozen=True)
class _Seen:
    """What the judge compares: the reads of both graphs, and the places of each operation that shares."""

    got: pl.Reads
    wanted: pl.Reads
    places: dict[str, list[Edge]]
    weights: set[Edge]
    kinds: dict[str, dict[str, Any]]

    def shares(self, node: str) -> bool:
        """Whether a shared label stands on a node."""
        kinds = self.kinds.get(node, {"inputs": [], "output": None})
        return "SharedQuantizationSpec" in (*kinds["inputs"], kinds["output"])

    def objects(self, op: str) -> set[str]:
        """The observer objects at the places of an operation."""
        return {name for place in self.places[op] for name in self.got[place]}


class SharedPool(Exercise):
    """SharedPool(base, spec, targets): add shared labels for operations that move values to another quantizer."""

    id = "m03_4.SharedPool"
    kind = "core"
    minutes = 20
    criteria = {"one scale": 3, "others apart": 2, "spec": 1}
    parameters = ("base", "spec", "targets")
    hints = (
        "One place of the operation carries `spec`, all others share with it. Which place comes first in the graph?",
        "Give the edge from the first input `spec`, and everything else `SharedQuantizationSpec((first_input, node))`: the "
        "other inputs, and the output.",
        "`node.all_input_nodes` lists the inputs, also those inside the list of a `cat`, and each of them once. Fill the "
        "dict of the inputs so that the first one keeps `spec`.",
    )
    misconceptions = {
        "equal-specs": "Two specs with equal settings make two observers, each with a range of its own. Only on one and the "
        "same tensor do equal labels merge. For two tensors it takes a SharedQuantizationSpec.",
        "cycle": "A chain of shared labels must end at a label with settings. Here it leads back to where it began, so no "
        "place says how to observe.",
        "refers-to-nothing": "A SharedQuantizationSpec means the observer of another place. That place needs a label of its "
        "own, and prepare_pt2e comes by it earlier: edges into a node before its output, nodes in graph order.",
        "shares-with-weight": "A weight has values of another size, and a scheme of its own. The operation moves "
        "*activations*: it shares with the activation that it reads.",
        "first-input-only": "A cat writes the integers of all its inputs into one tensor, which has one scale. So all "
        "inputs have to share, not only the first one.",
        "output-left-out": "The integers that the operation hands on are read with the scale of its *output*. If only its "
        "inputs are labelled, the output is float.",
        "inputs-left-out": "The operation has to read integers with the scale with which it hands them on. If only its "
        "output is labelled, an input can be float, or can have another scale.",
        "shares-too-much": "Each such operation shares with what *it* reads. Places that no such operation connects keep "
        "an observer each: one range for all is far too wide for most.",
        "not-found": "The rule does not reach this node. `targets` holds whole overloads, such as `aten.cat.default`, and "
        "`node.target` is one: compare the two as they are, without names.",
        "other-ops": "Which operations hand their values on unchanged is given by `targets`, as overloads to compare with "
        "`node.target`. Other operations are the business of `base`.",
        "base-lost": "`base` is there to label the rest of the graph. What it has labelled has to stay as it is.",
        "own-spec": "The settings of the one observer are the caller's: `spec`.",
        "graph-changed": "A quantizer says what it wants, by labels. prepare_pt2e puts the observers in.",
    }
    public_cases = (
        Case(model="cat_pool", base="layers", spec="int8", targets=["cat", "max_pool2d"]),
        Case(model="pool_chain", base="layers", spec="int8", targets=["max_pool2d", "adaptive_avg_pool2d", "flatten"]),
        Case(model="branches", base="layers", spec="uint8", targets=["cat"], seed=1),
        Case(model="cat_pool", base="nothing", spec="int8", targets=["cat"]),
    )
    facts = {
        "after": GRAPH,
        "kinds": pl.KINDS,
        "settings": {
            "type": "object",
            "maxProperties": 500,
            "additionalProperties": {"type": "object", "additionalProperties": {"type": "string"}},
        },
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        from common.pt2e import prepare_pt2e

        gm, spec = exported(case.model, case.seed), make_spec(case.spec)
        after = gm
        try:
            quantizer = ev.call(answer, pl.base_quantizer(case.base, spec), spec, pl.targets_of(case.targets))
            with ev.student():  # prepare_pt2e calls the student's methods
                after = prepare_pt2e(gm, quantizer)
        finally:
            ev.fact("kinds", pl.kinds_of_label(after))
        ev.fact("settings", pl.settings_of(after))
        ev.graph("after", after)

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        raised = evidence.exception or {}
        if not pl.raised_by_library(raised):
            return
        found = None
        if raised["type"] == "RecursionError":
            found = "cycle", "prepare_pt2e follows the shared labels, and never comes to an end."
        elif raised["type"] == "KeyError" or "make sure only refer to edge or node" in raised["message"]:
            found = "refers-to-nothing", "A shared label refers to a place at which there is no observer yet."
        if found:
            yield from (self.failed(criterion, *found) for criterion in self.criteria)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        after = evidence.graph("after")
        reference = _reference(case.model, case.seed, case.base, case.spec, tuple(case.targets))
        if not pl.same_ops(reference, after):
            symptom = "The prepared graph has other operations or edges than the net."
            yield from (self.failed(c, "graph-changed", symptom, graph="after") for c in self.criteria)
            return
        wanted, got = pl.reads(reference), pl.reads(after)
        ops = _ops(reference, pl.targets_of(case.targets))
        constants = {n.name for n in reference.nodes if n.op == "get_attr"}
        seen = _Seen(
            got,
            wanted,
            {op: [e for e in wanted if op in e] for op in ops},
            {e for e in wanted if e[0] in constants},
            evidence.facts["kinds"],
        )
        wrong = [op for op in ops if not _is_one(seen, op)]
        yield self._one_scale(after, seen, wrong) if wrong else self.passed("one scale")
        yield self._apart(after, seen, len(wrong) == len(ops))
        yield self._spec(evidence, seen, case)

    def _one_scale(self, after: GraphFacts, seen: _Seen, wrong: Sequence[str]) -> Finding:
        op = wrong[0]
        into = [place for place in seen.places[op] if place[1] == op]
        out = [place for place in seen.places[op] if place[0] == op]
        bare = [place for place in seen.places[op] if not seen.got[place]]
        kinds = seen.kinds.get(op, {"inputs": [], "output": None})
        kind, symptom = None, "At an operation that is to share, the places do not have one and the same observer."
        if op not in seen.kinds:
            kind, symptom = "not-found", "An operation of `targets` has no label at all."
        elif len(bare) == len(seen.places[op]):
            kind, symptom = None, "An operation that is to share has no observer at all."
        elif set(out) & set(bare):
            kind, symptom = "output-left-out", "The output of an operation that is to share is not observed."
        elif set(into) & set(bare) and into[0] not in bare:
            kind, symptom = (
                "first-input-only",
                "The first input is observed, and another input of the same operation is not.",
            )
        elif set(into) & set(bare):
            kind, symptom = "inputs-left-out", "An input of an operation that is to share is not observed."
        elif seen.objects(op) & {name for edge in seen.weights for name in seen.got[edge]}:
            kind, symptom = "shares-with-weight", "An operation that is to share has the observer of a weight."
        elif any(len(seen.got[place]) > 1 for place in seen.places[op]):
            kind, symptom = "own-spec", "At an operation that is to share, two observers stand one behind the other."
        elif not kinds["output"]:
            kind = "output-left-out"
        elif not kinds["inputs"]:
            kind = "inputs-left-out"
        elif not seen.shares(op):
            kind = "equal-specs"
        elif len(into) > 1 and len({seen.got[place] for place in (into[0], *out)}) == 1:
            kind, symptom = "first-input-only", "The inputs of one operation do not all have the same observer."
        detail = f"at {op}: " + "; ".join(f"{a} → {b}: {_words(seen.got[a, b])}" for a, b in seen.places[op])
        return self.failed("one scale", kind, symptom, detail=detail, graph="after", mark=tuple(wrong))

    def _apart(self, after: GraphFacts, seen: _Seen, nothing: bool) -> Finding:
        criterion = "others apart"
        if nothing:
            return self.failed(
                criterion,
                None,
                "Not judged yet: first one of these operations has to have one observer at all its places.",
            )
        places = {place for op in seen.places for place in seen.places[op]}
        lost = [e for e in seen.wanted if seen.wanted[e] and not seen.got[e] and e not in places]
        extra = [e for e in seen.wanted if seen.got[e] and not seen.wanted[e] and e not in places]
        joined = [
            (a, b)
            for i, a in enumerate(seen.wanted)
            for b in list(seen.wanted)[i + 1 :]
            if set(seen.got[a]) & set(seen.got[b]) and not set(seen.wanted[a]) & set(seen.wanted[b])
        ]
        chained = [e for e in seen.wanted if len(seen.got[e]) > 1 and e not in places]
        if lost:
            kind, symptom = "base-lost", "A value is no longer observed that the base quantizer had labelled."
            detail = ", ".join(f"{a} → {b}" for a, b in lost)
        elif extra:
            kind, symptom = "other-ops", "A value at another operation is observed, and was not before."
            detail = ", ".join(f"{a} → {b}" for a, b in extra)
        elif joined:
            with_weight = any((a in seen.weights) != (b in seen.weights) for a, b in joined)
            others = any(seen.shares(n) for a, b in joined for n in {*a, *b} - set(seen.places))
            kind = "shares-with-weight" if with_weight else "other-ops" if others else "shares-too-much"
            symptom = "Two places have one observer, and no operation of `targets` connects them."
            detail = "; ".join(f"{a[0]} → {a[1]} and {b[0]} → {b[1]}" for a, b in joined[:3])
        elif chained:
            kind, symptom = "own-spec", "A value goes through two observers, one behind the other."
            detail = ", ".join(f"{a} → {b}" for a, b in chained)
        else:
            return self.passed(criterion)
        return self.failed(criterion, kind, symptom, detail=detail, graph="after")

    def _spec(self, evidence: Evidence, seen: _Seen, case: Case) -> Finding:
        settings, expected = evidence.facts["settings"], pl.expected_settings(make_spec(case.spec))
        used = {name for op in seen.places for name in seen.objects(op)}
        if not used:
            return self.failed("spec", None, "There is no observer at any of the operations.")
        if any(settings.get(name) != expected for name in used):
            symptom = "An observer at such an operation has other settings than `spec`."
            return self.failed("spec", "own-spec", symptom)
        return self.passed("spec")


def _is_one(seen: _Seen, op: str) -> bool:
    chains = {seen.got[place] for place in seen.places[op]}
    return len(chains) == 1 and len(next(iter(chains))) == 1


def _words(chain: Sequence[str]) -> str:
    return " → ".join(chain) or "no observer"


def _ops(reference: GraphFacts, targets: Sequence[Any]) -> list[str]:
    names = {str(target) for target in targets}
    return [n.name for n in reference.nodes if n.op == "call_function" and n.target in names]


@lru_cache(maxsize=32)
def _reference(model: str, seed: int, base: str, spec_name: str, targets: tuple[str, ...]) -> GraphFacts:
    """The net prepared by a quantizer that is right."""
    from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer, SharedQuantizationSpec, prepare_pt2e

    spec, wanted = make_spec(spec_name), pl.targets_of(targets)

    class Right(Quantizer):
        def annotate(self, model: Any) -> Any:
            pl.base_quantizer(base, spec).annotate(model)
            for node in model.graph.nodes:
                if node.op == "call_function" and node.target in wanted:
                    first, *others = node.all_input_nodes
                    shared = SharedQuantizationSpec((first, node))
                    inputs = {first: spec, **dict.fromkeys(others, shared)}
                    node.meta[ANNOTATION_KEY] = QuantizationAnnotation(inputs, shared)
            return model

        def validate(self, model: Any) -> None:
            return None

    return pl.facts_of(prepare_pt2e(exported(model, seed), Right()))
