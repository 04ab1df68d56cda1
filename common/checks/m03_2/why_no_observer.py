"""What the labels say about one edge: an observer of its own, a shared one, or none, and why."""

from collections.abc import Callable, Iterator
from typing import Any

from common.checks.m03_1._labels import labels_of
from common.checks.m03_2._labelled import GUARDS, kind_of, label_of, labelled, nodes_of, reason
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder

WORDS = ("own", "shared", "none", "fused", "no label")


class WhyNoObserver(Exercise):
    """why_no_observer(gm, a, b): why there is, or is not, an observer of its own on the edge from a to b."""

    id = "m03_2.why_no_observer"
    kind = "core"
    minutes = 20
    criteria = {"observed or not": 2, "own or shared": 1, "which reason": 3}
    parameters = ("gm", "a", "b")
    not_allowed = ("prepare_pt2e", "prepare_qat_pt2e")
    hints = (
        "Two places can hold a spec for this edge: the output label of a, and the entry for a in the input labels of b. "
        "Look at them in this order.",
        "If neither holds a spec, there are three cases left: b has an entry for a, which is None; a and b both have "
        "annotations; or one of them has none.",
        "`node.meta.get(ANNOTATION_KEY)` is None for a node that the quantizer has not touched. "
        "`a_node in annotation.input_qspec_map` asks for the entry, whatever its value.",
    )
    misconceptions = {
        "always-quantized": "A quantizer labels only the operations that it knows. All other values stay float.",
        "output-label-missed": "The label on the output of a reaches all its readers, also those without any label.",
        "edge-label-missed": "A label on the edge stands on the node that reads, in its `input_qspec_map`.",
        "edge-first": "Where a's output has a label, all labels on this value merge with it: the output label decides "
        "whether the observer is shared.",
        "none-and-fused": "An entry that is None is a decision: this input (a bias) stays as it is. Where ops are computed in "
        "one step, there is no entry at all.",
        "fused-not-seen": "If both nodes carry labels, and none is about the value between them, then the quantizer takes "
        "the two for one step.",
        "either-label": "An op that the quantizer does not know is in no step with others. *Both* nodes must have been "
        "dealt with: a marked weight can have a reader without any label.",
        "none-first": "An entry that is None does not forbid an observer: if the output of a has a spec, the value is "
        "observed, for all of its readers.",
        "needs-both-labels": "One spec is enough. A value without any label can have a reader with a label on the edge, and the "
        "other way round.",
        "shared-not-seen": "A SharedQuantizationSpec has no settings of its own: the observer is that of another place.",
        "unlabelled-nodes": "Most nodes have no annotation at all: `node.meta.get(ANNOTATION_KEY)` gives None for them.",
        "changes-labels": "Whoever asks next finds other labels. Read with `get`; `pop` takes away, `setdefault` writes.",
        "markers-are-labels": "An annotation can be empty: the quantizer marks weights and biases so that it deals with "
        "them once. Only a spec says that a value is quantized.",
    }
    public_cases = (Case(model="residual"), Case(model="gate", seed=1))
    facts = {
        "answers": {
            "type": "object",
            "maxProperties": 200,
            "additionalProperties": {"type": ["string", "null"]},
        },
        "labels_kept": {"type": "boolean"},
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        gm = labelled(case)
        said: dict[str, str | None] = {}
        before = labels_of(gm)
        for producer, consumer in _edges(gm):
            returned = ev.call(answer, gm, producer, consumer)
            said[f"{producer} → {consumer}"] = returned[:100] if isinstance(returned, str) else None
            ev.fact("answers", dict(said))
        ev.fact("labels_kept", labels_of(gm) == before)

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        exception = evidence.exception or {}
        if exception.get("type") == "KeyError" and exception["message"] == "'quantization_annotation'":
            yield self.failed("observed or not", "unlabelled-nodes", "A node without an annotation was asked for it.")

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        gm, said = labelled(case), evidence.facts["answers"]
        edges = {f"{a} → {b}": (a, b) for a, b in _edges(gm)}
        if any(said.get(edge) not in WORDS for edge in edges):
            symptom = "The result is not one of the five words."
            shown = next(said.get(edge) for edge in edges if said.get(edge) not in WORDS)
            detail = f"yours: {shown!r}; the words: {', '.join(repr(w) for w in WORDS)}"
            why = "The words are texts, in quotes. None is something else: a function without `return` gives it, too."
            yield Finding(None, False, "form", symptom, "" if shown else why, detail)
            return
        if not evidence.facts["labels_kept"]:
            symptom, why = (
                "The labels of the graph are not what they were before.",
                self.misconceptions["changes-labels"],
            )
            yield Finding(None, False, "changes-labels", symptom, why)
            return
        wanted = {edge: reason(gm, *pair) for edge, pair in edges.items()}
        kind = self._kind(gm, said, edges)
        observed = {edge for edge, word in wanted.items() if word in ("own", "shared")}

        def finding(criterion: str, among: set[str], same: Callable[[str, str], bool], symptom: str) -> Finding:
            wrong = [edge for edge in edges if edge in among and not same(said[edge], wanted[edge])]
            if not wrong:
                return self.passed(criterion)
            detail = f"{wrong[0]}: yours {said[wrong[0]]!r}, the labels say {wanted[wrong[0]]!r}"
            likely = kind or self._likely(gm, [(*edges[e], said[e], wanted[e]) for e in wrong])
            return self.failed(criterion, likely, symptom, detail=detail)

        yield finding(
            "observed or not",
            set(edges),
            lambda a, b: (a in WORDS[:2]) == (b in WORDS[:2]),
            "For an edge it is not right whether there is an observer at all.",
        )
        yield finding(
            "own or shared", observed, lambda a, b: a == b, "An observer of its own and a shared one are mixed up."
        )
        symptom = "The reason why an edge has no observer is not right."
        yield finding("which reason", set(edges) - observed, lambda a, b: a == b, symptom)

    def _kind(self, gm: Any, said: dict[str, str], edges: dict[str, tuple[str, str]]) -> str | None:
        """Name the idea that gives exactly these answers."""
        nodes = nodes_of(gm)

        def by_parts(edge: str, output: bool = True, into: bool = True, edge_first: bool = False) -> str:
            a, b = (nodes[name] for name in edges[edge])
            out, entry = label_of(a), label_of(b)
            specs = [out.output_qspec if output and out else None]
            specs.append(entry.input_qspec_map.get(a) if into and entry else None)
            for spec in reversed(specs) if edge_first else specs:
                if spec is not None:
                    return "shared" if kind_of(spec) == "shared" else "own"
            if into and entry and a in entry.input_qspec_map:
                return "none"
            return "fused" if out and entry else "no label"

        right = {edge: by_parts(edge) for edge in edges}
        ideas: dict[str, Callable[[str], str]] = {
            "edge-first": lambda e: by_parts(e, edge_first=True),
            "output-label-missed": lambda e: by_parts(e, output=False),
            "edge-label-missed": lambda e: by_parts(e, into=False),
            "fused-not-seen": lambda e: "no label" if right[e] == "fused" else right[e],
            "none-and-fused": lambda e: "fused" if right[e] == "none" else right[e],
            "either-label": lambda e: (
                "fused" if right[e] == "no label" and any(label_of(nodes[n]) for n in edges[e]) else right[e]
            ),
            "none-first": lambda e: "none" if self._refused(nodes, *edges[e]) else right[e],
            "shared-not-seen": lambda e: "own" if right[e] == "shared" else right[e],
        }
        for kind, idea in ideas.items():
            if all(said[e] == idea(e) for e in edges) and said != right:
                return kind
        observed = ("own", "shared")
        if set(said.values()) <= set(observed):
            return "always-quantized"
        if all(said[e] in observed for e in edges if right[e] == "no label") and "no label" in right.values():
            return "always-quantized"
        swapped = [e for e in edges if {said[e], right[e]} == {"none", "fused"}]
        if swapped and all(e in swapped or said[e] == right[e] for e in edges):
            return "none-and-fused"
        marked = {e for e in edges if right[e] in ("none", "fused")}
        if marked and all(said[e] in observed for e in marked):
            return "markers-are-labels"
        return None

    @staticmethod
    def _refused(nodes: dict[str, Any], a: str, b: str) -> bool:
        """Whether b has an entry for a, and it is None."""
        label = label_of(nodes[b])
        return bool(label) and label.input_qspec_map.get(nodes[a], 0) is None

    @staticmethod
    def _likely(gm: Any, wrong: list[tuple[str, str, str, str]]) -> str | None:
        """The idea that explains all wrong answers of one criterion: (a, b, said, right)."""
        nodes, observed = nodes_of(gm), ("own", "shared")

        def has_output(a: str) -> bool:
            label = label_of(nodes[a])
            return bool(label) and label.output_qspec is not None

        bare = [{bool(label_of(nodes[a])), bool(label_of(nodes[b]))} for a, b, *_words in wrong]
        if all(said == "no label" and right in observed for *_edge, said, right in wrong) and all(
            False in ends for ends in bare
        ):
            return "needs-both-labels"
        missed = all(right in observed and said not in observed for *_edge, said, right in wrong)
        if missed and not any(has_output(a) for a, *_rest in wrong):
            return "edge-label-missed"
        if missed and all(has_output(a) for a, *_rest in wrong):
            return "output-label-missed"
        if all((said, right) == ("own", "shared") for *_edge, said, right in wrong):
            return "shared-not-seen"
        if all(right == "fused" and said in ("none", "no label") for *_edge, said, right in wrong):
            return "fused-not-seen"
        if all((said, right) == ("fused", "no label") for *_edge, said, right in wrong):
            return "either-label"
        return None


def _edges(gm: Any) -> list[tuple[str, str]]:
    """All edges of a graph, by name; `_guards_fn` left out."""
    return [(i.name, n.name) for n in gm.graph.nodes if n.name != GUARDS for i in n.all_input_nodes]
