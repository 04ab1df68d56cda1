"""One observer for each group of ops that a chip computes in one step; the groups are given as patterns."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from common.checks._nets import exported
from common.checks.m03_1 import _labels as lb
from common.checks.m04_2 import _fuse as fz
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder
from common.exercise.graphs import GRAPH

if TYPE_CHECKING:
    from torch import fx

C, R, A, L, P = (
    "aten.conv2d.default",
    "aten.relu.default",
    "aten.add.Tensor",
    "aten.linear.default",
    "aten.max_pool2d.default",
)


class AnnotateFused(Exercise):
    """annotate_fused(gm, patterns, spec): label the output of each group that fits a pattern, and nothing else."""

    id = "m04_2.annotate_fused"
    kind = "core"
    minutes = 20
    criteria = {"ends of groups": 2, "nothing else": 2}
    parameters = ("gm", "patterns", "spec")
    not_allowed = ("prepare_pt2e", "SubgraphMatcher", "find_sequential_partitions")
    hints = (
        "Write a helper first: does this pattern fit, beginning at this node? It returns the nodes of the group, or None.",
        "The helper walks: while targets of the pattern are left, the last node must have one reader, and the target of this "
        "reader must be the next one. The label belongs on the last node of the group.",
        "`for node in gm.graph.nodes:`, inside `for pattern in sorted(patterns, key=len, reverse=True):`; if the group fits "
        "and none of its nodes is in the set `used`: label `group[-1]`, add all nodes to `used`, and `break`.",
    )
    misconceptions = {
        "between": "Between the ops of a group there is no tensor in integers. The label belongs on the output of the last op.",
        "on-both": "One group, one rounding. With a label inside of the group as well, its value would be rounded twice.",
        "shortest-first": "Several patterns can fit at the same node. The longest counts: otherwise its last op stays outside.",
        "second-reader": "If something else reads a value inside of the chain, it has to be there as a tensor: the chain is no "
        "group, and another pattern may fit, or none.",
        "node-twice": "A node that belongs to a group already cannot begin another one.",
        "pattern-by-pattern": "All patterns are tried at one node before the next node comes. Whoever goes through the whole "
        "graph with the longest pattern first takes nodes from groups that begin earlier.",
        "last-reader": "The last value of a group leaves it, so any number of ops may read it, or none. One reader only is "
        "asked for *between* the ops of a pattern.",
        "every-op": "Only groups that fit a pattern get a label. For the other ops the chip has no integer kernel.",
        "input-labels": "Labelled are outputs only. A label on an edge into a group puts one more observer into the graph.",
        "own-spec": "The spec is given. With another one, the observers will be other ones than those that were asked for.",
        "no-label": "prepare_pt2e looks for labels in `node.meta[ANNOTATION_KEY]` of the given graph, and nowhere else. If no "
        "pattern has fitted at all: patterns hold overloads, such as `aten.relu.default`, as `node.target` does.",
        "wrong-form": "A label is a `QuantizationAnnotation(output_qspec=spec)`.",
    }
    public_cases = (
        Case(model="conv_relu_conv", patterns=[[C, R], [C]], spec="int8"),
        Case(model="side_reader", patterns=[[C, R], [A, R], [C]], spec="uint8", seed=1),
        Case(model="pool_chain", patterns=[[C], [C, R], [R], [C, R, P], [L]], spec="int8", seed=2),
        Case(model="residual", patterns=[[C, R], [R]], spec="int8", seed=3),
    )
    facts = {"labels": lb.LABELS, "graph": GRAPH}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        gm = exported(case.model, case.seed)
        patterns = [tuple(fz.op(name) for name in pattern) for pattern in case.patterns]
        try:
            ev.call(answer, gm, patterns, lb.make_spec(case.spec))
        finally:
            ev.fact("labels", lb.labels_of(gm))
            ev.graph("graph", exported(case.model, case.seed))

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        gm, labels, spec = exported(case.model, case.seed), evidence.facts["labels"], lb.make_spec(case.spec)
        if any(entry["type"] != "QuantizationAnnotation" for entry in labels):
            symptom = "Something else than a QuantizationAnnotation stands in a node."
            yield Finding(None, False, "wrong-form", symptom, self.misconceptions["wrong-form"])
            return
        used = lb.specs_in(labels)
        found = fz.matches(gm, case.patterns)
        ends = [chain[-1].name for chain in found]
        if not used and ends:
            kind, symptom = "no-label", "No node of the graph has a label where prepare_pt2e looks for it."
            yield Finding(None, False, kind, symptom, self.misconceptions[kind])
            return
        if any(u != lb.spec_facts(spec) for u in used):
            symptom = "A label carries another spec than the given one."
            yield Finding(None, False, "own-spec", symptom, self.misconceptions["own-spec"])
            return
        wanted = lb.observed(lb.prepared(case.model, case.seed, lb.put([("out", name) for name in ends], spec)))
        got = lb.observed(lb.prepared(case.model, case.seed, lb.put_facts(labels, spec)))
        outputs = {entry["node"] for entry in labels if entry["output"]}
        kind = self._why(gm, case.patterns, found, outputs, got - wanted, wanted - got)
        if wanted - got:
            missing = sorted({p for p, _c in wanted - got})
            symptom = "The output of a group is not observed."
            yield self.failed(
                "ends of groups", kind, symptom, detail=", ".join(missing), graph="graph", mark=tuple(missing)
            )
        else:
            yield self.passed("ends of groups")
        if got - wanted:
            extra = sorted({p for p, _c in got - wanted})
            symptom = "A value is observed that is not the output of a group."
            yield self.failed("nothing else", kind, symptom, detail=", ".join(extra), graph="graph", mark=tuple(extra))
        else:
            yield self.passed("nothing else")

    def _why(
        self,
        gm: "fx.GraphModule",
        patterns: Sequence[Sequence[str]],
        found: list[list[Any]],
        outputs: set[str],
        extra: lb.Edges,
        missing: lb.Edges,
    ) -> str | None:
        right = {chain[-1].name for chain in found}
        mistakes = ("node-twice", "pattern-by-pattern", "second-reader", "last-reader")
        kind = next((k for k in mistakes if outputs == _ends(gm, patterns, k)), None)
        if kind and outputs != right:
            return kind
        nodes = {n.name: n for n in gm.graph.nodes}
        lost = {p for p, _c in missing}
        inside = {n.name: chain for chain in found for n in chain[:-1]}
        for name in sorted({p for p, _c in extra}):
            node = nodes[name]
            if name in inside and name not in outputs:
                return "input-labels"
            if name in inside:
                chain = inside[name]
                if chain[-1].name not in lost:
                    return "node-twice" if _begins(chain, name, patterns) else "on-both"
                position = next(i for i, n in enumerate(chain) if n.name == name)
                shorter = [str(n.target) for n in chain[: position + 1]]
                return "shortest-first" if shorter in [list(p) for p in patterns] else "between"
            if name not in outputs or node.op != "call_function":
                return "input-labels"
            loose = [fz.chain_at(n, p, one_reader=False) for n in nodes.values() for p in patterns]
            if any(chain and len(chain) > 1 and chain[-1] is node for chain in loose):
                return "second-reader"
            return "every-op"
        return None


def _ends(gm: "fx.GraphModule", patterns: Sequence[Sequence[str]], mistake: str) -> set[str]:
    """The ends of the groups that somebody finds who makes this mistake."""
    nodes, longest_first = (
        [n for n in gm.graph.nodes if n.op == "call_function"],
        sorted(patterns, key=len, reverse=True),
    )
    tries = [(n, p) for n in nodes for p in longest_first]
    if mistake == "pattern-by-pattern":
        tries = [(n, p) for p in longest_first for n in nodes]
    used: set[Any] = set()
    begun: set[Any] = set()
    ends = set()
    for node, pattern in tries:
        chain = fz.chain_at(node, pattern, one_reader=mistake != "second-reader")
        if chain is None or node in begun or (mistake != "node-twice" and used & set(chain)):
            continue
        if mistake == "last-reader" and len(chain[-1].users) != 1:
            continue
        used |= set(chain)
        begun.add(node)
        ends.add(chain[-1].name)
    return ends


def _begins(chain: list[Any], name: str, patterns: Sequence[Sequence[str]]) -> bool:
    """Whether a pattern of one op fits inside of a chain, behind its first node."""
    return any(n.name == name and [str(n.target)] in [list(p) for p in patterns] for n in chain[1:])
