"""A quantizer that writes the labels of a list."""

from collections.abc import Iterator, Sequence
from typing import Any

from common.checks._nets import exported
from common.checks.m03_1 import _labels as lb
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder
from common.exercise.graphs import GRAPH

Label = Sequence[str]


class LabelQuantizer(Exercise):
    """LabelQuantizer(labels, spec): a quantizer that puts the labels of a list on the nodes of a graph."""

    id = "m03_1.LabelQuantizer"
    kind = "core"
    minutes = 20
    criteria = {"output labels": 1, "edge labels": 1, "several on one node": 2, "nothing else": 1, "spec": 1}
    parameters = ("labels", "spec")
    hints = (
        "Make a dictionary from names to nodes first; then go through the labels one by one. Which of the two nodes of "
        "an edge carries its label?",
        "A node has one QuantizationAnnotation for all its labels. Before you make a new one, look whether there is one "
        "already.",
        "`note = nodes[name].meta.setdefault(ANNOTATION_KEY, QuantizationAnnotation())`, then set `note.output_qspec`, "
        "or one entry of `note.input_qspec_map`, whose key is the producer's node.",
    )
    misconceptions = lb.FORMS | {
        "overwrites": "A node has one annotation for all its labels. A second `node.meta[ANNOTATION_KEY] = …` throws away "
        "the first one, with everything in it.",
        "key-is-the-consumer": "The annotation stands on the consumer, so the consumer is already known. The key says "
        "which of its inputs is meant: it is the producer.",
        "key-is-a-name": "The keys of `input_qspec_map` are nodes of the graph, not names of nodes.",
        "looked-up-wrongly": "A name such as 'conv2d_1' belongs to one node (`node.name`). What a node computes "
        "(`node.target`) is no name: several nodes can compute the same, and part of a name fits several nodes.",
        "one-annotation": "One annotation object on several nodes is one set of labels: what is written for one node "
        "holds for all of them.",
        "edge-as-output": "A label on the output of the producer reaches all its consumers. The label of an edge reaches "
        "one.",
        "output-as-edge": "An output label reaches every consumer of the node. An edge label reaches one consumer only.",
        "not-an-annotation": "prepare_pt2e reads the fields `input_qspec_map` and `output_qspec`, so it needs a "
        "QuantizationAnnotation there.",
        "no-label": "prepare_pt2e looks in one place only: `node.meta[ANNOTATION_KEY]`, and only after `annotate` has "
        "been called.",
        "another-place": "prepare_pt2e looks in one place only: `node.meta[ANNOTATION_KEY]`. Under another key, or as an "
        "attribute of the node, nobody finds it.",
        "on-a-copy": "prepare_pt2e goes on with the graph that it has given to `annotate`. Labels on a copy of it, or about "
        "nodes of a copy, do not reach it, even if `annotate` returns the copy.",
        "two-kinds-of-label": "An output label has two parts, `('out', name)`, and an edge label three, `('edge', producer, "
        "consumer)`. Look at the first part before you take the rest apart.",
        "own-spec": "The place and the way to quantize are two things. The caller decides on the second one by `spec`.",
        "not-a-quantizer": "prepare_pt2e calls more methods than the two that you write. The others come from the base "
        "class `Quantizer`.",
        "method-missing": "`annotate` and `validate` are abstract in the base class: a quantizer has to define both, even "
        "if `validate` has nothing to check.",
        "graph-changed": "A quantizer only says what it wants. It is prepare_pt2e that puts observers in, after "
        "`annotate` and `validate`.",
    }
    public_cases = (
        Case(model="conv_relu", labels=[["out", "relu"]], spec="int8"),
        Case(model="cat_pool", labels=[["edge", "x", "conv2d_1"]], spec="int8"),
        Case(
            model="conv_relu_conv",
            labels=[["edge", "conv_b_weight", "conv2d_1"], ["edge", "relu", "conv2d_1"], ["out", "conv2d_1"]],
            spec="narrow",
        ),
    )
    facts = {
        "labels": lb.LABELS,
        "copies": {"type": "integer"},
        "misplaced": {"type": "array", "items": {"type": "string"}, "maxItems": 10},
        "after": GRAPH,
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        from common.pt2e import prepare_pt2e

        gm = exported(case.model, case.seed)
        labels = [tuple(label) for label in case.labels]
        after, noted = gm, lb.CopyNoted()
        gm.__dict__["_copy_noted"] = noted
        try:
            quantizer = ev.call(answer, labels, lb.make_spec(case.spec))
            with ev.student():  # prepare_pt2e calls the student's methods
                after = prepare_pt2e(gm, quantizer)
        finally:
            for graph in (gm, after):
                graph.__dict__.pop("_copy_noted", None)
            ev.fact("copies", noted.copies)
            ev.fact("misplaced", lb.misplaced(after))
            ev.fact("labels", lb.labels_of(after))
        ev.graph("after", after)

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        message = (evidence.exception or {}).get("message", "")
        found = None
        if "object has no attribute 'transform_for_annotation'" in message:
            found = "not-a-quantizer", "prepare_pt2e cannot use this object as a quantizer."
        elif "Can't instantiate abstract class" in message and ("annotate" in message or "validate" in message):
            found = "method-missing", "The class cannot be used: a method that every quantizer needs is missing."
        elif "values to unpack (expected 3, got 2)" in message:
            found = "two-kinds-of-label", "A label with two parts was taken apart into three."
        elif (evidence.exception or {}).get("type") == "KeyError" and message.strip("'") in _names(case):
            found = "looked-up-wrongly", "A node was looked up by its name, and not found."
        elif "'QuantizationSpec' object" in message or any(
            "torchao" in frame for frame in (evidence.exception or {}).get("frames", [])[-1:]
        ):
            found = lb.wrong_form(evidence.facts.get("labels", []))
        if found:
            yield self._at_once(*found)

    def _at_once(self, kind: str, symptom: str, detail: str = "", **more: Any) -> Finding:
        """Say once what is wrong with all labels."""
        return Finding(None, False, kind, symptom, self.misconceptions[kind], detail, **more)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        spec, labels = lb.make_spec(case.spec), evidence.facts["labels"]
        wanted = lb.observed(lb.prepared(case.model, case.seed, lb.put(case.labels, spec)))
        got = lb.observed(lb.prepared(case.model, case.seed, lb.put_facts(labels, spec)))
        if case.labels and not labels:
            kind, symptom = "no-label", "No node of the graph has a label where prepare_pt2e looks for it."
            if evidence.facts["misplaced"]:
                kind, symptom = "another-place", "Annotations stand where prepare_pt2e does not look for them."
            elif lb.observed_in(evidence.graph("after")):
                kind, symptom = "graph-changed", "There are observers in the graph, but no labels."
            elif evidence.facts["copies"]:
                kind, symptom = "on-a-copy", "The graph has no labels. It was copied: are they on the copy?"
            yield self._at_once(kind, symptom, ", ".join(evidence.facts["misplaced"]))
            return
        if wrong := lb.wrong_form(labels):
            yield self._at_once(*wrong)
            return
        if lb.observed_in(evidence.graph("after")) != got:
            symptom = "The prepared graph is not the one that these labels give: the graph was changed in another way."
            yield self._at_once("graph-changed", symptom, graph="after")
            return
        alone, together = _by_node(case.labels)
        for criterion, chosen in (
            ("output labels", [label for label in alone if label[0] == "out"]),
            ("edge labels", [label for label in alone if label[0] == "edge"]),
            ("several on one node", together),
        ):
            lost = [label for label in chosen if not self._edges_of(case, label) <= got]
            yield self._lost(criterion, case, evidence, lost, wanted - got) if lost else self.passed(criterion)
        yield self._extra(case, evidence, got - wanted, nothing=bool(case.labels) and not got)
        yield self._spec(labels, spec, bool(case.labels))

    def _edges_of(self, case: Case, label: Label) -> lb.Edges:
        return lb.observed(lb.prepared(case.model, case.seed, lb.put([label], lb.make_spec("int8"))))

    def _lost(
        self, criterion: str, case: Case, evidence: Evidence, lost: Sequence[Label], missing: lb.Edges
    ) -> Finding:
        labels = evidence.facts["labels"]
        by_node = {entry["node"]: entry for entry in labels}
        kind, symptom = None, "A label of the list has no effect."
        edges: list[tuple[str, str]] = [(label[1], label[2]) for label in lost if label[0] == "edge"]
        if any(lb.consumer_keys(labels, edge) for edge in edges):
            kind, symptom = "key-is-the-consumer", "The label of an edge has the consumer as its key."
        elif any(label[0] == "out" and _only_an_edge(labels, label[1]) for label in lost):
            kind, symptom = "output-as-edge", "A consumer of a labelled output does not read an observed value."
        elif criterion == "several on one node" and lost[0][-1] in by_node:
            kind, symptom = "overwrites", "A node with several labels has kept only some of them."
        elif set(by_node) - {label[-1] for label in case.labels}:
            kind, symptom = "looked-up-wrongly", "A label of the list stands on another node than the named one."
        detail = "no effect: " + ", ".join(str(tuple(label)) for label in lost)
        return self.failed(criterion, kind, symptom, detail=detail, graph="after", mark=tuple(sorted(missing)))

    def _extra(self, case: Case, evidence: Evidence, extra: lb.Edges, nothing: bool) -> Finding:
        criterion = "nothing else"
        if nothing:
            return self.failed(criterion, None, "There are no observers at all.")
        if not extra:
            return self.passed(criterion)
        labels = evidence.facts["labels"]
        asked = {label[-1] for label in case.labels}
        outputs = {label[1] for label in case.labels if label[0] == "out"}
        kind, symptom = None, "A value is observed that the list does not name."
        if any(entry["same_as"] != i for i, entry in enumerate(labels)):
            kind, symptom = "one-annotation", "Several nodes have the same annotation object."
        elif {entry["node"] for entry in labels if entry["output"]} - outputs and {e[0] for e in extra} <= {
            label[1] for label in case.labels if label[0] == "edge"
        }:
            kind, symptom = "edge-as-output", "The label of an edge has reached other consumers as well."
        elif {entry["node"] for entry in labels} - asked:
            kind, symptom = "looked-up-wrongly", "A node has a label, and the list does not name it."
        mark = lb.observers_behind(evidence.graph("after"), extra)
        detail = "not in the list: " + ", ".join(f"{p} → {c}" for p, c in sorted(extra))
        return self.failed(criterion, kind, symptom, detail=detail, graph="after", mark=mark)

    def _spec(self, labels: list[dict[str, Any]], spec: Any, asked: bool) -> Finding:
        used = lb.specs_in(labels)
        if asked and not used:
            return self.failed("spec", None, "No label carries a spec.")
        if any(u != lb.spec_facts(spec) for u in used):
            return self.failed("spec", "own-spec", "A label carries another spec than the given one.")
        return self.passed("spec")


def _names(case: Case) -> set[str]:
    return {name for label in case.labels for name in label[1:]}


def _by_node(labels: Sequence[Label]) -> tuple[list[Label], list[Label]]:
    """Return the labels that stand alone on their node, and those that share it with others."""
    places = [label[-1] for label in labels]
    alone = [label for label in labels if places.count(label[-1]) == 1]
    return alone, [label for label in labels if label not in alone]


def _only_an_edge(labels: Sequence[dict[str, Any]], producer: str) -> bool:
    """Whether a producer has no output label, and edges from it have one."""
    outputs = {entry["node"] for entry in labels if entry["output"]}
    return producer not in outputs and any(k["name"] == producer for entry in labels for k in entry["keys"])
