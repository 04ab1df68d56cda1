"""A quantizer that finds its places by rules: conv, linear and add, with or without a relu behind."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from common.checks.m03_1 import _labels as lb
from common.checks.m03_3 import _rules as rules
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder
from common.exercise.graphs import GRAPH, GraphFacts

if TYPE_CHECKING:
    from torch import fx

SIMILAR = "An op without a rule has a label; its name resembles that of an op with a rule."
OVERLOAD = "An op without a rule has a label; it is another overload of an op with a rule."

NAMES = {"type": "array", "maxItems": 500, "items": {"type": "string"}}


class RuleQuantizer(Exercise):
    """RuleQuantizer(activation, weight): label conv, linear and add by rules, together with a relu behind them."""

    id = "m03_3.RuleQuantizer"
    kind = "core"
    minutes = 20
    criteria = {"conv and linear": 1, "add": 1, "outputs": 2, "nothing else": 1, "specs": 1}
    parameters = ("activation", "weight")
    hints = (
        "Go through the nodes once. For each one ask three things: is its target in the table? Which of its inputs get a "
        "label? Where is the end of the unit, at this node or at the relu behind it?",
        "`readers = list(node.users)`. The relu belongs to the unit only if there is one reader, and its target is one of "
        "the two relu targets. All labels of one node stand in one annotation.",
        "A label on the op with `input_qspec_map` for its inputs, and `output_qspec` on the op itself or on the relu. In an "
        "addition take only those of `node.args[:2]` that are nodes: `isinstance(a, torch.fx.Node)`.",
    )
    misconceptions = {
        "packet-or-overload": "`torch.ops.aten.conv2d` is the packet with all overloads. `node.target` is one overload, "
        "such as `torch.ops.aten.conv2d.default`. The two are never equal, and comparing them is no error.",
        "by-name": "A node's name is only a name in the generated code, and may be anything. What the node computes is in "
        "its target.",
        "part-of-a-name": "A piece of text is found in longer names too: “relu” is in relu6, “conv” in conv_transpose2d, "
        "“add” in addcmul. These are other ops, and what holds for a conv need not hold for them.",
        "other-overload": 'One packet has several overloads: a conv with padding "same" is `aten.conv2d.padding`. It has '
        "other arguments, so it is another target. The table names whole targets, and only these have a rule.",
        "in-place": "`aten.relu_.default` and `aten.add_.Tensor` are overloads of other packets than relu and add. They "
        "compute the same, so the rules are for them too.",
        "two-readers": "If somebody else reads the value between the op and the relu, it must go on existing. Then the two "
        "are no unit, and the output of the op itself is what gets the label.",
        "between": "Inside of a unit there is no value in integers: the op and its relu are computed in one step. The label "
        "of the output stands on the relu.",
        "output-forgotten": "The result of a unit is a value too, even if nothing with a rule reads it.",
        "bias-quantized": "A bias is added to the sums, which are in 32 bits. In 8 bits it would lose nearly all of its "
        "precision. It is left as it is.",
        "weight-forgotten": "A conv with a plain weight cannot be computed with integers. The weight is an input as well: "
        "the edge from it needs a label.",
        "one-operand": "An addition has two operands, and both are values that somebody has to scale.",
        "beside-a-number": "An addition with a number is an addition too. Only the number gets no label: the other operand "
        "and the result are values, and do get one.",
        "number-as-key": "In `y + 1` one operand is a number. It is no node of the graph, so it cannot be a key of "
        "`input_qspec_map`.",
        "edge-as-output": "A label on the output of a producer reaches all its readers. Only the one with a rule is to read "
        "the observed value: label its edge.",
        "lonely-relu": "A relu that is not part of a unit has no rule, so it gets no label.",
        "one-spec": "Weights and activations are quantized in different ways: there are two specs.",
        "own-spec": "The place and the way to quantize are two things. The caller decides on the second one.",
        "overwrites": "A node has one annotation for all its labels. A second `node.meta[ANNOTATION_KEY] = …` throws away "
        "the first one, with everything in it.",
        "no-label": "prepare_pt2e looks in one place only: `node.meta[ANNOTATION_KEY]` of the graph that `annotate` is "
        "given.",
        "not-an-annotation": "prepare_pt2e reads the fields `input_qspec_map` and `output_qspec`, so it needs a "
        "QuantizationAnnotation there.",
        "key-is-a-name": "The keys of `input_qspec_map` are nodes of the graph, not names of nodes.",
        "graph-changed": "A quantizer only says what it wants. It is prepare_pt2e that puts observers in, after "
        "`annotate` and `validate`.",
    }
    public_cases = (
        Case(model="residual", specs="int8"),
        Case(model="side_reader", specs="int8"),
        Case(model="in_place", specs="uint8"),
        Case(model="conv_bn_drop", specs="int8"),
        Case(model="relu_kinds", specs="int8"),
        Case(model="many_ops", specs="uint8"),
        Case(model="adds", specs="int8", swap=[["conv2d_3", "add_1"]]),
        Case(model="offsets", specs="int8"),
    )
    facts = {"labels": lb.LABELS, "with_packets": NAMES, "observers": rules.OBSERVERS, "after": GRAPH}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        from common.pt2e import prepare_pt2e

        gm = rules.graph_of(case)
        after = gm
        try:
            quantizer = ev.call(answer, *rules.make_specs(case.specs))
            with ev.student():  # prepare_pt2e calls the student's methods
                after = prepare_pt2e(gm, quantizer)
        finally:
            ev.fact("labels", lb.labels_of(after))
        ev.fact("observers", rules.observer_facts(after))
        ev.graph("after", after)
        ev.fact("with_packets", _labelled_with_packets(answer, case))

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        labels = evidence.facts.get("labels", [])
        if not any("torchao" in frame for frame in (evidence.exception or {}).get("frames", [])[-1:]):
            return  # raised in the student's own lines
        kinds = {key["kind"] for entry in labels for key in entry["keys"]}
        found = None
        if lb.wrong_form([entry | {"keys": []} for entry in labels]) or "str" in kinds:
            found = lb.wrong_form(labels)
        elif kinds & {"int", "float"}:
            found = "number-as-key", "A key of an `input_qspec_map` is a number."
        elif _lookalikes(rules.graph_of(case).graph.nodes, labels):
            found = _similar(rules.graph_of(case).graph.nodes, labels)
        if found:
            yield from (self.failed(criterion, *found) for criterion in self.criteria)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        plain = rules.prepared(case, lambda _gm: ())
        after = evidence.graph("after")
        observers = lb.observers_in(after)
        if [(n.name, n.target) for n in after.nodes if n.name not in observers] != [
            (n.name, str(n.target)) for n in plain.graph.nodes
        ]:
            symptom = "The prepared graph has other nodes than prepare_pt2e gives it: the graph was changed."
            yield from (self.failed(c, "graph-changed", symptom) for c in self.criteria)
            return
        look = _Look(case, evidence, plain)
        if look.got != lb.observed(rules.prepared(case, lambda gm: _again(look.labels, gm))):
            symptom = "The prepared graph is not the one that these labels give: the graph was changed in another way."
            yield from (self.failed(c, "graph-changed", symptom) for c in self.criteria)
            return
        yield self._inputs(look)
        yield self._add(look)
        yield self._outputs(look)
        yield self._rest(look)
        yield self._specs(look)

    def _inputs(self, look: "_Look") -> Finding:
        criterion = "conv and linear"
        cores = [u.core for u in look.units if u.kind != "add"]
        wanted = {(a.name, c.name) for c in cores for a in c.args[:2]}
        biases = {(c.args[2].name, c.name) for c in cores if len(c.args) > 2 and c.args[2] is not None} & look.got
        missing = wanted - look.got
        if missing:
            kind, symptom = look.lost_inputs(missing) or (None, "What a conv or a linear reads is not observed.")
            if kind is None and missing <= {(c.args[1].name, c.name) for c in cores}:
                kind, symptom = "weight-forgotten", "The weight of a conv or a linear is not observed."
            return look.failed(self, criterion, kind, symptom, missing)
        if biases:
            kind, symptom = look.by_name() or ("bias-quantized", "A bias is observed.")
            return look.failed(self, criterion, kind, symptom, biases)
        if not cores and not look.got:
            return self.failed(criterion, None, "There are no observers at all.")
        return self.passed(criterion)

    def _add(self, look: "_Look") -> Finding:
        adds = [u.core for u in look.units if u.kind == "add"]
        operands = {c.name: {a.name for a in c.args[:2] if hasattr(a, "name")} for c in adds}
        missing = {(a, name) for name, found in operands.items() for a in found} - look.got
        if missing:
            kind, symptom = look.lost_inputs(missing) or (None, "What an addition reads is not observed.")
            halves = [name for name, found in operands.items() if len(found) == 2]
            if kind is None:
                kind, symptom = look.beside_number(missing) or (kind, symptom)
            if (
                kind is None
                and halves
                and all(sum((a, name) in missing for a in operands[name]) < 2 for name in operands)
            ):
                kind, symptom = "one-operand", "Only one of the two values that an addition reads is observed."
            return look.failed(self, "add", kind, symptom, missing)
        if not adds and not look.got:
            return self.failed("add", None, "There are no observers at all.")
        return self.passed("add")

    def _outputs(self, look: "_Look") -> Finding:
        criterion = "outputs"
        inside = {(u.core.name, u.relu.name) for u in look.units if u.relu} & look.got
        ends = {(u.end.name, c) for u in look.units for c in look.readers(u.end)}
        missing = ends - look.got
        if not inside and not missing:
            return (
                self.passed(criterion) if look.got else self.failed(criterion, None, "There are no observers at all.")
            )
        found = look.lost(missing) or look.beside_number(missing) or look.by_name()
        if found is None and inside:
            found = "between", "The value between an op and its relu is observed."
            outputs = {entry["node"] for entry in look.labels if entry["output"]}
            in_place = {n.name for n in look.nodes if str(n.target) == "aten.relu_.default"}
            if {r for _p, r in inside} <= in_place - outputs:
                found = "in-place", "The value between an op and a relu that works in place is observed."
        elif found is None:
            found = "output-forgotten", "The output of a unit is not observed for all who read it."
            split = {u.core.name for u in look.units if not u.relu and any(map(look.is_relu, u.core.users))}
            if {p for p, _c in missing} <= split:
                found = "two-readers", "A value that a relu and others read is not observed for all of them."
        return look.failed(self, criterion, *found, inside | missing)

    def _rest(self, look: "_Look") -> Finding:
        criterion = "nothing else"
        inside = {(u.core.name, u.relu.name) for u in look.units if u.relu}
        biases = {
            (a.name, u.core.name) for u in look.units if u.kind != "add" for a in u.core.args[2:3] if a is not None
        }
        extra = look.got - look.wanted - inside - biases
        if not look.got:
            found = look.lost(look.wanted) or (None, "There are no observers at all.")
            return self.failed(criterion, *found)
        if not extra:
            return self.passed(criterion)
        found = look.by_name()
        outputs = {entry["node"] for entry in look.labels if entry["output"]}
        labelled = {entry["node"] for entry in look.labels if entry["output"] or entry["keys"]}
        alone = {n.name for n in look.nodes if look.is_relu(n)} - {u.end.name for u in look.units}
        if found is None and _lookalikes(look.nodes, look.labels):
            found = _similar(look.nodes, look.labels)
        elif found is None and alone & labelled and {p for p, _c in extra} & alone:
            found = "lonely-relu", "A relu that belongs to no unit has a label."
        elif found is None and {p for p, _c in extra} <= outputs - {u.end.name for u in look.units} - alone:
            found = "edge-as-output", "A reader without a rule reads an observed value, because others do."
        return look.failed(self, criterion, *(found or (None, "A value is observed that no rule names.")), extra)

    def _specs(self, look: "_Look") -> Finding:
        criterion = "specs"
        mine = rules.settings_by_value(look.evidence.facts["observers"])
        right = rules.settings_by_value(rules.observer_facts(look.reference))
        both = sorted(set(mine) & set(right))
        if not both:
            return self.failed(criterion, None, "There is no observer of which the spec could be looked at.")
        wrong = [value for value in both if mine[value] != right[value]]
        if not wrong:
            return self.passed(criterion)
        given = rules.make_specs(look.case.specs)
        swapped = {str(s.qscheme) for s in given}
        found = look.by_name() or ("own-spec", "A value is observed with other settings than the given ones.")
        classes = {(lb.spec_facts(s) or {})["observer"] for s in given}
        if found[0] == "own-spec" and all(
            s["qscheme"] in swapped and s["class"] in classes for value in wrong for s in mine[value]
        ):
            found = "one-spec", "A weight is observed like an activation, or an activation like a weight."
        return self.failed(criterion, *found, detail="with other settings: " + ", ".join(wrong))


class _Look:
    """What the rules want in a case, and what the evidence shows."""

    def __init__(self, case: Case, evidence: Evidence, plain: "fx.GraphModule") -> None:
        self.case, self.evidence = case, evidence
        self.nodes = list(plain.graph.nodes)
        self.units = rules.units(plain)
        self.reference = rules.prepared(case, rules.labels_for)
        self.wanted = lb.observed(self.reference)
        self.after: GraphFacts = evidence.graph("after")
        self.got = lb.observed_in(self.after)
        self.labels: list[dict[str, Any]] = evidence.facts["labels"]

    def is_relu(self, node: Any) -> bool:
        return rules.kind_of(node) == "relu"

    def readers(self, node: Any) -> list[str]:
        return [u.name for u in node.users if u.name != lb.GUARDS]

    def by_name(self) -> tuple[str, str] | None:
        """Whether the evidence is just what somebody gets who goes by the names of nodes."""
        if not self.case.get("swap"):
            return None
        swapped = {name for pair in self.case.swap for name in pair}
        labels = {entry["node"]: entry for entry in self.labels}
        weight = lb.spec_facts(rules.make_specs(self.case.specs)[1])
        told: list[bool] = []
        read = {k["name"] for entry in self.labels for k in entry["keys"] if k["spec"]}
        for node in self.nodes:
            if node.name in swapped and node.op == "get_attr" and rules.weight_or_bias(node.name):
                told.append((node.name in read) == (rules.weight_or_bias(node.name) == "weight"))
            seen = rules.kind_by_name(node)
            if node.name not in swapped or seen not in ("conv", "linear", "add", "relu"):
                continue
            entry = labels.get(node.name, {"keys": [], "output": None})
            specs = {key["name"]: key["spec"] for key in entry["keys"] if key["spec"]}
            second = next((specs.get(str(a)) for a in node.args[1:2]), None)
            as_relu = seen == "relu" and bool(entry["output"]) and not specs
            as_other = seen != "relu" and bool(specs) and (second == weight) == (seen != "add")
            # without a label it is perhaps only not found under its name, if another one is taken for what it is not
            if entry["keys"] or entry["output"] or as_relu or as_other:
                told.append(as_relu or as_other)
        return ("by-name", "A node is labelled as if it were what its name says.") if told and all(told) else None

    def lost(self, missing: lb.Edges) -> tuple[str, str] | None:
        """Why edges may be missing, whatever they are: no label, packets, names, in place, overwritten."""
        if not missing:
            return None
        labelled = {entry["node"] for entry in self.labels if entry["output"] or entry["keys"]}
        packets = set(self.evidence.facts["with_packets"])
        by_name = {n.name: n for n in self.nodes}
        ends = {u.end.name: u.core.name for u in self.units}
        cores = {c if c in ends.values() else ends.get(p, c) for p, c in missing}
        if cores <= packets and not cores & labelled:
            return (
                "packet-or-overload",
                "Ops of the table have no label. They have one in a graph with packets as targets.",
            )
        if not labelled:
            return "no-label", "No node of the graph has a label where prepare_pt2e looks for it."
        if self.by_name():
            return self.by_name()
        if cores and all(str(by_name[c].target) == "aten.add_.Tensor" for c in cores if c in by_name):
            return "in-place", "An addition that works in place has no label."
        return None

    def beside_number(self, missing: lb.Edges) -> tuple[str, str] | None:
        """Whether additions with a number have no label, and they alone."""
        labelled = {entry["node"] for entry in self.labels if entry["output"] or entry["keys"]}
        ends = {u.end.name: u.core for u in self.units}
        cores = {u.core.name: u.core for u in self.units}
        found = [cores.get(c) or ends.get(p) for p, c in missing]
        numbers = [n for n in found if n is not None and any(isinstance(a, (int, float)) for a in n.args[:2])]
        if not found or len(numbers) < len(found) or labelled & {n.name for n in numbers}:
            return None
        return "beside-a-number", "An addition with a number has no label."

    def lost_inputs(self, missing: lb.Edges) -> tuple[str, str] | None:
        """The same for edges into ops, whose labels the label of the output may have replaced."""
        readers = {c for _p, c in missing}
        entries = [entry for entry in self.labels if entry["node"] in readers]
        if entries and all(entry["output"] and not entry["keys"] for entry in entries):
            return "overwrites", "A node has kept the label of its output and lost those of its inputs."
        return self.lost(missing)

    def failed(self, exercise: Exercise, criterion: str, kind: str | None, symptom: str, edges: lb.Edges) -> Finding:
        detail = ", ".join(f"{p} → {c}" for p, c in sorted(edges)[:8])
        # what is missing is marked as an edge, what is too much at its observer
        mark = (*sorted(edges - self.got), *lb.observers_behind(self.after, edges & self.got))
        return exercise.failed(criterion, kind, symptom, detail=detail, graph="after", mark=mark)


def _lookalikes(nodes: Any, labels: list[dict[str, Any]]) -> list[Any]:
    """Return the ops that have a label, no rule, and a name like one with a rule."""
    labelled = {entry["node"] for entry in labels if entry["output"] or entry["keys"]}
    unknown = [n for n in nodes if n.name in labelled and n.op == "call_function" and rules.kind_of(n) is None]
    return [n for n in unknown if any(word in str(n.target) for word in ("conv", "linear", "add", "relu"))]


def _similar(nodes: Any, labels: list[dict[str, Any]]) -> tuple[str, str]:
    """What the ops of `_lookalikes` have been taken for."""
    packets = {target.rpartition(".")[0] for target in rules.TARGETS}
    if all(str(n.target).rpartition(".")[0] in packets for n in _lookalikes(nodes, labels)):
        return "other-overload", OVERLOAD
    return "part-of-a-name", SIMILAR


def _again(labels: list[dict[str, Any]], gm: "fx.GraphModule") -> list[tuple[str, ...]]:
    """Recorded labels in the form of `_labels.put`, as far as the graph has their nodes."""
    names = {n.name for n in gm.graph.nodes}
    found: list[tuple[str, ...]] = [("out", entry["node"]) for entry in labels if entry["output"]]
    for entry in labels:
        found += [("edge", k["name"], entry["node"]) for k in entry["keys"] if k["kind"] == "node" and k["spec"]]
    return [label for label in found if names.issuperset(label[1:])]


def _labelled_with_packets(answer: Any, case: Case) -> list[str]:
    """Names of the ops that get a label when the targets are packets in the place of overloads."""
    gm = rules.with_packets(rules.graph_of(case))
    try:
        answer(*rules.make_specs(case.specs)).annotate(gm)
    except Exception:  # such a graph is not what was asked for
        return []
    ops = {n.name for n in gm.graph.nodes if n.op == "call_function"}
    return [entry["node"] for entry in lb.labels_of(gm) if entry["node"] in ops]
