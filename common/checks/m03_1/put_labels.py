"""Two annotations by hand: the edge into a conv, and the output of the relu behind it."""

from collections.abc import Iterator
from typing import Any

from common.checks._nets import exported
from common.checks.m03_1 import _labels as lb
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder
from common.exercise.graphs import GRAPH


class PutLabels(Exercise):
    """put_labels(gm, name, spec): label the edge into a conv, and the output of the relu behind it."""

    id = "m03_1.put_labels"
    kind = "core"
    minutes = 15
    criteria = {"input edge": 1, "relu output": 1, "nothing else": 1, "spec": 1}
    parameters = ("gm", "name", "spec")
    not_allowed = ("prepare_pt2e", "prepare_qat_pt2e")
    hints = (
        "First find the two nodes that carry the labels: the conv has the name that you are given, and the relu reads "
        "the conv. Nothing else is read off the names.",
        "The conv's data input is `conv.args[0]`, and the relu is in `conv.users`. An edge label stands on the consumer, "
        "in `input_qspec_map`; an output label stands on the node that computes the value, in `output_qspec`.",
        "`conv.meta[ANNOTATION_KEY] = QuantizationAnnotation(input_qspec_map={conv.args[0]: spec})`, and on the relu "
        "the other field in the same way.",
    )
    misconceptions = lb.FORMS | {
        "key-is-the-consumer": "The annotation stands on the consumer, so the consumer is already known. The key says "
        "which of its inputs is meant: it is the producer.",
        "key-is-a-name": "The keys of `input_qspec_map` are nodes, not their names: `conv.args[0]` and not `'x'`.",
        "not-an-annotation": "prepare_pt2e reads the fields `input_qspec_map` and `output_qspec`, so it needs a "
        "QuantizationAnnotation there. A spec says how to quantize, and not which place.",
        "on-a-copy": "Labels are data in the nodes of one graph. Those on a copy do not reach the graph that the caller "
        "goes on with.",
        "no-label": "prepare_pt2e looks in one place only: `node.meta[ANNOTATION_KEY]`.",
        "another-place": "prepare_pt2e looks in one place only: `node.meta[ANNOTATION_KEY]`. Under another key, or as an "
        "attribute of the node, nobody finds it.",
        "conv-output": "The conv and its relu are computed in one step, so the value between them never exists as "
        "integers. The output of the relu is what gets labelled.",
        "weight-edge": "`conv.args` holds the data input, the weight and the bias, in this order. Each is an edge of its "
        "own, with its own label.",
        "edge-as-output": "A label on the output of the producer reaches all its consumers. The label of an edge reaches "
        "one.",
        "fixed-names": "Names such as 'conv2d' and 'relu' are numbered by the export, as they come. In another graph "
        "they belong to other nodes.",
        "own-spec": "The place and the way to quantize are two things. The caller decides on the second one by `spec`.",
        "graph-changed": "A label is data beside the graph. It is prepare_pt2e that changes the graph, later.",
    }
    public_cases = (
        Case(model="conv_relu", name="conv2d", spec="int8"),
        Case(model="branches", name="conv2d_1", spec="narrow"),
    )
    facts = {
        "labels": lb.LABELS,
        "elsewhere": {"type": "integer"},
        "copies": {"type": "integer"},
        "misplaced": {"type": "array", "items": {"type": "string"}, "maxItems": 10},
        "nodes": {"type": "array", "items": {"type": "string"}, "maxItems": 1000},
        "after": GRAPH,
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        from torch import fx

        from common.pt2e import Quantizer, prepare_pt2e

        class NoLabels(Quantizer):  # the labels are there already
            def annotate(self, model: Any) -> Any:
                return model

            def validate(self, model: Any) -> None:
                return None

        gm = exported(case.model, case.seed)
        noted = lb.CopyNoted()
        gm.__dict__["_copy_noted"] = noted
        try:
            returned = ev.call(answer, gm, case.name, lb.make_spec(case.spec))
        finally:
            gm.__dict__.pop("_copy_noted", None)
            ev.fact("copies", noted.copies)
            ev.fact("misplaced", lb.misplaced(gm))
            ev.fact("labels", lb.labels_of(gm))
            ev.fact("nodes", [n.name for n in gm.graph.nodes][:1000])
        copied = isinstance(returned, fx.GraphModule) and returned is not gm
        ev.fact("elsewhere", len(lb.labels_of(returned)) if copied else 0)
        with ev.student("prepare_pt2e read the labels"):
            ev.graph("after", prepare_pt2e(gm, NoLabels()))

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        wrong = lb.wrong_form(evidence.facts.get("labels", []))
        if wrong and (evidence.exception or {}).get("during"):
            yield self._at_once(*wrong)

    def _at_once(self, kind: str, symptom: str, detail: str = "", **more: Any) -> Finding:
        """Say once what is wrong with all labels."""
        return Finding(None, False, kind, symptom, self.misconceptions[kind], detail, **more)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        base, spec, labels = exported(case.model, case.seed), lb.make_spec(case.spec), evidence.facts["labels"]
        nodes = {n.name: n for n in base.graph.nodes}
        conv = nodes[case.name]
        relu = next(u.name for u in conv.users)
        edge = (conv.args[0].name, case.name)
        wanted = lb.observed(lb.prepared(case.model, case.seed, lb.put([("edge", *edge), ("out", relu)], spec)))
        got = lb.observed(lb.prepared(case.model, case.seed, lb.put_facts(labels, spec)))
        if evidence.facts["nodes"] != list(nodes):
            symptom = "The graph has other nodes than before: more than labels was put in."
            yield self._at_once("graph-changed", symptom, graph="after")
            return
        if not labels:
            yield self._at_once(*self._nowhere(evidence), ", ".join(evidence.facts["misplaced"]))
            return
        yield self._edge(evidence, edge, conv.args[1].name, edge in got)
        yield self._relu(evidence, case.name, relu, {e for e in wanted - got if e[0] == relu})
        yield self._rest(evidence, edge, got - wanted, bool(got & wanted))
        yield self._spec(labels, spec)

    def _edge(self, evidence: Evidence, edge: tuple[str, str], weight: str, there: bool) -> Finding:
        if there:
            return self.passed("input edge")
        labels = evidence.facts["labels"]
        kind, symptom = None, "The value that the conv reads is not observed."
        if lb.consumer_keys(labels, edge):
            kind, symptom = "key-is-the-consumer", "The label of the edge has the conv itself as its key."
        elif any(n["node"] == edge[1] and any(k["name"] == weight for k in n["keys"]) for n in labels):
            kind, symptom = "weight-edge", "The edge from the weight is labelled, and the one from the data is not."
        elif any(n["keys"] and n["node"] != edge[1] for n in labels):
            kind, symptom = "fixed-names", "The given conv has no edge label; another node has one."
        return self.failed("input edge", kind, symptom, detail=f"{edge[0]} → {edge[1]}", graph="after", mark=(edge,))

    def _relu(self, evidence: Evidence, conv: str, relu: str, missing: lb.Edges) -> Finding:
        if not missing:
            return self.passed("relu output")
        labels = evidence.facts["labels"]
        kind, symptom = None, "The output of the relu behind the conv is not observed."
        outputs = {n["node"] for n in labels if n["output"]}
        keys = {(k["name"], n["node"]) for n in labels for k in n["keys"]}
        if conv in outputs or (conv, relu) in keys:
            kind, symptom = "conv-output", "The value between conv and relu is labelled, and the relu's output is not."
        elif outputs:
            kind, symptom = "fixed-names", "The relu behind the conv has no output label; another node has one."
        return self.failed("relu output", kind, symptom, detail=f"output of {relu}", graph="after", mark=(relu,))

    def _rest(self, evidence: Evidence, edge: tuple[str, str], extra: lb.Edges, some: bool) -> Finding:
        criterion = "nothing else"
        if not extra and some:
            return self.passed(criterion)
        if not some and not extra:
            return self.failed(criterion, None, "Neither of the two values is observed.")
        after = evidence.graph("after")
        kind, symptom = None, "A value is observed that was not asked for."
        if {e[0] for e in extra} == {edge[0]}:
            kind, symptom = "edge-as-output", "Another consumer reads the observed input of the conv as well."
        elif any(e[0] == edge[1] for e in extra):
            kind, symptom = "conv-output", "The value between conv and relu is observed."
        detail = "not asked for: " + ", ".join(f"{p} → {c}" for p, c in sorted(extra))
        mark = lb.observers_behind(after, extra)
        return self.failed(criterion, kind, symptom, detail=detail, graph="after", mark=mark)

    def _spec(self, labels: list[dict[str, Any]], spec: Any) -> Finding:
        used = lb.specs_in(labels)
        if used and all(u == lb.spec_facts(spec) for u in used):
            return self.passed("spec")
        if not used:
            return self.failed("spec", None, "No label carries a spec.")
        return self.failed("spec", "own-spec", "A label carries another spec than the given one.")

    def _nowhere(self, evidence: Evidence) -> tuple[str, str]:
        if evidence.facts.get("elsewhere"):
            return "on-a-copy", "The given graph has no labels; a copy of it has."
        if evidence.facts["misplaced"]:
            return "another-place", "There are annotations in the graph, but not where prepare_pt2e looks for them."
        if evidence.facts["copies"]:
            return "on-a-copy", "The given graph has no labels. It was copied: are they on the copy?"
        return "no-label", "No node of the graph has a label where prepare_pt2e looks for it."
