"""Let a quantizer write its labels, and read them: which inputs and outputs, and by which kind of spec."""

from collections.abc import Iterator
from typing import Any

from common.checks._nets import exported
from common.checks.m03_2._labelled import kind_of, label_of, labelled, nodes_of, quantizer_of
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder

ANNOTATION_KEY = "quantization_annotation"
KINDS = ("per_tensor", "per_channel", "shared", None)
Row = tuple[dict[str, str | None], str | None]
"""The kinds of spec of the inputs by producer, and that of the output."""


class AnnotationTable(Exercise):
    """annotation_table(gm, quantizer): the labels that a quantizer writes, by node: inputs and output."""

    id = "m03_2.annotation_table"
    kind = "core"
    minutes = 15
    criteria = {"nodes": 1, "inputs": 2, "outputs": 1}
    must_return = True
    parameters = ("gm", "quantizer")
    not_allowed = ("prepare_pt2e", "prepare_qat_pt2e")
    hints = (
        "Nothing is labelled until somebody calls `annotate`. Afterwards the labels are in `node.meta`.",
        "The annotation of a node has `input_qspec_map` (producer → spec) and `output_qspec`. Both may hold None, and an "
        "annotation may hold nothing at all.",
        "`isinstance(spec, SharedQuantizationSpec)` tells a shared one. All others have a `qscheme`: "
        "`'per_channel' in str(spec.qscheme)`.",
    )
    misconceptions = {
        "reads-before": "An exported graph has no labels. `quantizer.annotate(gm)` writes them.",
        "on-a-copy": "The labels are on the graph that was annotated. A copy that was made before has none.",
        "outputs-only": "Most labels are on edges: they stand in `input_qspec_map` of the node that reads.",
        "inputs-only": "A node has a label for its output too, `output_qspec`.",
        "markers-too": "An annotation without any spec says only that the quantizer has dealt with this node: no value is "
        "labelled by it.",
        "none-dropped": "A producer whose spec is None stands in the map all the same: it says that this input is left as "
        "it is, on purpose.",
        "shared-not-seen": "A SharedQuantizationSpec has no settings of its own. It says with whom to share.",
        "unlabelled-nodes": "Most nodes have no annotation at all: `node.meta.get(ANNOTATION_KEY)` gives None for them.",
        "ops-only": "Not only ops carry labels. A quantizer may label an input of the net, or a parameter.",
        "none-as-word": "A kind is None where the spec is None: the value None, and not a text.",
        "edges-without-entry": "Only what stands in `input_qspec_map` is asked for. A producer that is not in it has no "
        "entry; one whose spec is None has one.",
        "scheme-guessed": "Each spec says in its `qscheme` whether it is per tensor or per channel. With another quantizer "
        "the same weight has another scheme, and each of the two comes as affine and as symmetric.",
        "kind-of-spec": "The kind of a spec is asked for: its scheme, or that it is shared. Which observer is built from it "
        "is another question.",
    }
    public_cases = (Case(model="residual"), Case(model="pool_chain", per_channel=False, seed=1))
    facts = {
        "form": {"type": "string"},
        "labels_left": {"type": "integer"},
        "rows": {
            "type": "object",
            "maxProperties": 200,
            "additionalProperties": {
                "type": "object",
                "required": ["inputs", "output"],
                "properties": {
                    "inputs": {"type": "object", "additionalProperties": {"type": ["string", "null"]}},
                    "output": {"type": ["string", "null"]},
                },
            },
        },
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        gm = exported(case.model, case.seed)
        returned = ev.call(answer, gm, quantizer_of(case))
        ev.fact("labels_left", sum(label_of(n) is not None for n in gm.graph.nodes))
        rows, form = {}, "" if isinstance(returned, dict) else "the result is no dict"
        with ev.student("the table was read"):
            for name, row in list(returned.items())[:200] if isinstance(returned, dict) else ():
                if not isinstance(name, str):
                    form = "a key is not a name"
                elif not (isinstance(row, (tuple, list)) and len(row) == 2 and isinstance(row[0], dict)):
                    form = "an entry is no pair of a dict and the kind of the output"
                elif not all(isinstance(producer, str) for producer in row[0]):
                    form = "a producer is not given by its name"
                else:
                    inputs = {producer: _word(kind) for producer, kind in row[0].items()}
                    rows[name] = {"inputs": inputs, "output": _word(row[1])}
        ev.fact("form", form)
        ev.fact("rows", rows)

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        exception = evidence.exception or {}
        message = exception.get("message", "")
        if "'SharedQuantizationSpec' object has no attribute 'qscheme'" in message:
            yield self.failed("inputs", "shared-not-seen", "A shared spec was asked for its scheme.")
        elif exception.get("type") == "KeyError" and message == f"'{ANNOTATION_KEY}'":
            yield self.failed("nodes", "unlabelled-nodes", "A node without an annotation was asked for it.")

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        if evidence.facts["form"]:
            symptom = "The result is not a dict with a pair (dict of inputs, kind of output) for each node."
            yield Finding(None, False, "form", symptom, "", evidence.facts["form"])
            return
        gm = labelled(case)
        wanted = _table(gm)
        got: dict[str, Row] = {n: (r["inputs"], r["output"]) for n, r in evidence.facts["rows"].items()}
        if not got:
            kind = "on-a-copy" if evidence.facts["labels_left"] else "reads-before"
            for criterion in self.criteria:
                yield self.failed(criterion, kind, "The table is empty.")
            return
        markers = {n.name for n in gm.graph.nodes if label_of(n) is not None} - set(wanted)
        yield self._nodes(got, wanted, markers, {n.name for n in gm.graph.nodes if n.op == "call_function"})
        shown = [name for name in wanted if name in got]
        foreign = {k for inputs, output in got.values() for k in (*inputs.values(), output)} - set(KINDS)
        words = ("none-as-word" if foreign == {"None"} else "kind-of-spec") if foreign else None
        yield self._inputs(got, wanted, shown, words)
        yield self._outputs(got, wanted, shown, words)

    def _nodes(self, got: dict[str, Row], wanted: dict[str, Row], markers: set[str], ops: set[str]) -> Finding:
        missing, extra = set(wanted) - set(got), set(got) - set(wanted)
        if not missing and not extra:
            return self.passed("nodes")
        kind = None
        if extra and extra <= markers and not missing:
            kind = "markers-too"
        elif missing and not missing & ops and extra <= markers:
            kind = "ops-only"
        elif missing and not extra and all(wanted[n][1] is None for n in missing):
            kind = "outputs-only"
        elif missing and not extra and all(not wanted[n][0] for n in missing):
            kind = "inputs-only"
        parts = (("missing: ", missing), ("too much: ", extra))
        detail = "; ".join(title + ", ".join(sorted(n)[:12]) for title, n in parts if n)
        return self.failed("nodes", kind, "The nodes in the table are not those with a spec.", detail=detail)

    def _inputs(self, got: dict[str, Row], wanted: dict[str, Row], shown: list[str], words: str | None) -> Finding:
        wrong = [name for name in shown if got[name][0] != wanted[name][0]]
        if shown and not wrong:
            return self.passed("inputs")
        kind = words
        if words:
            pass
        elif shown and not any(got[name][0] for name in shown):
            kind = "outputs-only"
        elif wrong and all(got[n][0] == {k: v for k, v in wanted[n][0].items() if v is not None} for n in wrong):
            kind = "none-dropped"
        elif wrong and all("shared" in wanted[n][0].values() and "shared" not in got[n][0].values() for n in wrong):
            kind = "shared-not-seen"
        elif wrong and all(_entries(got[n][0]) == _entries(wanted[n][0]) and got[n][0] != wanted[n][0] for n in wrong):
            kind = "edges-without-entry"
        elif wrong and all(_blurred(got[n][0]) == _blurred(wanted[n][0]) for n in wrong):
            kind = "scheme-guessed"
        detail = f"{wrong[0]}: yours {got[wrong[0]][0]}, in the graph {wanted[wrong[0]][0]}" if wrong else ""
        return self.failed("inputs", kind, "The labels of the inputs of a node are not right.", detail=detail)

    def _outputs(self, got: dict[str, Row], wanted: dict[str, Row], shown: list[str], words: str | None) -> Finding:
        wrong = [name for name in shown if got[name][1] != wanted[name][1]]
        if shown and not wrong:
            return self.passed("outputs")
        kind = words
        if words:
            pass
        elif shown and not any(got[name][1] for name in shown):
            kind = "inputs-only"
        elif wrong and all(wanted[n][1] == "shared" for n in wrong):
            kind = "shared-not-seen"
        detail = f"{wrong[0]}: yours {got[wrong[0]][1]!r}, in the graph {wanted[wrong[0]][1]!r}" if wrong else ""
        return self.failed("outputs", kind, "The label of the output of a node is not right.", detail=detail)


def _entries(inputs: dict[str, str | None]) -> dict[str, str | None]:
    """The entries with a spec."""
    return {name: kind for name, kind in inputs.items() if kind is not None}


def _blurred(inputs: dict[str, str | None]) -> dict[str, str | None]:
    """The entries, per tensor and per channel taken for one kind."""
    return {name: "own" if kind in ("per_tensor", "per_channel") else kind for name, kind in inputs.items()}


def _word(kind: Any) -> str | None:
    return None if kind is None else str(kind)[:200]


def _table(gm: Any) -> dict[str, Row]:
    rows: dict[str, Row] = {}
    for name, node in nodes_of(gm).items():
        label = label_of(node)
        if label is None:
            continue
        inputs = {producer.name: kind_of(spec) for producer, spec in label.input_qspec_map.items()}
        output = kind_of(label.output_qspec)
        if output is not None or any(kind is not None for kind in inputs.values()):
            rows[name] = (inputs, output)
    return rows
