"""Find what of training is left in a prepared graph that was exported in train mode."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from common.checks.m04_1 import _bn
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder
from common.exercise.graphs import GRAPH

if TYPE_CHECKING:
    from torch import fx

DROPOUTS = ("aten.dropout.default", "aten.feature_dropout.default")


class TrainExportLeftover(Exercise):
    """train_export_leftover(gm): the names of the nodes that do something that only training wants."""

    id = "m04_1.train_export_leftover"
    kind = "practice"
    minutes = 15
    criteria = {"counters": 2, "dropouts": 1, "batch norms": 1}
    must_return = True
    parameters = ("gm",)
    hints = (
        "There are three kinds, and each needs a rule of its own. Print the nodes of a net exported in train mode beside "
        "those of the same net exported in eval mode.",
        "A counter: an op that works in place (`add_`), and whose first argument is a node with `op == 'get_attr'`. The other "
        "two have their mode among their arguments.",
        "`node.args[2]` of a dropout and `node.args[5]` of a batch norm are True in training.",
    )
    misconceptions = {
        "counter-missed": "The counter of a batch norm stays when the batch norm is folded: it works in place, so nobody dares "
        "to take it away. It writes into a buffer of the net in every run.",
        "by-name": "Other ops work in place too, an addition of the net itself for example. A counter is known by what it "
        "writes into: a buffer of the net, that is, a `get_attr` node.",
        "name-of-the-buffer": "A net may count in buffers of its own, and call them as it likes. A counter is known by what is done: "
        "an op works in place, and its first argument is a buffer.",
        "names-the-buffer": "Asked for are the ops that do something. The node of the buffer only hands it out; the op that "
        "writes into it is the counter.",
        "dropout-missed": "A dropout in training mode throws away values at random, in every run, the calibration included.",
        "one-dropout": "There are two ops for dropout here: `nn.Dropout2d` becomes `aten.feature_dropout.default`.",
        "all-dropouts": "A dropout with `train=False` does nothing. Its mode is its third argument.",
        "norm-missed": "A batch norm that is not folded keeps the mode in which it was exported: with True it computes with the "
        "statistics of the batch, and changes the running ones.",
        "all-norms": "A batch norm with `training=False` is right for inference. Its mode is its sixth argument.",
        "asks-the-module": "A graph has no switch for its mode: `gm.training` says nothing about the nodes. The mode of each op "
        "is one of its arguments.",
        "type": "The result is a set of names of nodes, such as {'add_', 'dropout'}.",
    }
    public_cases = (
        Case(model="conv_bn_drop", mode="train"),
        Case(model="conv_bn_drop", mode="eval", seed=1),
        Case(model="bn_places", mode="train", seed=2),
        Case(model="in_place", mode="train", seed=3),
    )
    facts = {"names": _bn.NAMES, "graph": GRAPH}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        _bn.record_names(ev, ev.call(answer, _prepared(case)))
        ev.graph("graph", _prepared(case))

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        if not evidence.has("names"):
            symptom = "The result is not a set of names."
            yield Finding(
                None, False, "type", symptom, self.misconceptions["type"], f"it is a {evidence.facts.get('type')}"
            )
            return
        said, gm = set(evidence.facts["names"]), _prepared(case)
        right = leftovers(gm)
        everything = set().union(*right.values())
        nodes = {n.name: n for n in gm.graph.nodes}
        nothing = bool(everything) and not said
        wrong = {kind: [] for kind in right}
        for name in sorted(said - everything):
            target = str(nodes[name].target) if name in nodes else ""
            where = "dropouts" if target in DROPOUTS else "batch norms" if target == _bn.BATCH_NORM else "counters"
            wrong[where].append(name)
        missed = {"counters": "counter-missed", "dropouts": "dropout-missed", "batch norms": "norm-missed"}
        too_many = {"counters": None, "dropouts": "all-dropouts", "batch norms": "all-norms"}
        for criterion in self.criteria:
            missing = sorted(right[criterion] - said)
            if missing:
                kind = "asks-the-module" if nothing and len(everything) > 1 else missed[criterion]
                if kind == "counter-missed" and said & right["counters"]:
                    kind = "name-of-the-buffer"
                if kind == "dropout-missed" and said & right["dropouts"]:
                    kind = "one-dropout"
                symptom = "Something that only training wants is not in the result."
                yield self.failed(
                    criterion, kind, symptom, detail=", ".join(missing), graph="graph", mark=tuple(missing)
                )
            elif wrong[criterion]:
                kind = too_many[criterion]
                if any(
                    str(nodes[n].target).endswith(("_.Tensor", "_.default")) for n in wrong[criterion] if n in nodes
                ):
                    kind = kind or "by-name"
                if any(nodes[n].op == "get_attr" for n in wrong[criterion] if n in nodes):
                    kind = "names-the-buffer"
                mark = tuple(n for n in wrong[criterion] if n in nodes)
                symptom = "The result names a node that belongs to inference too."
                yield self.failed(
                    criterion, kind, symptom, detail=", ".join(wrong[criterion]), graph="graph", mark=mark
                )
            else:
                yield self.passed(criterion)


def leftovers(gm: "fx.GraphModule") -> dict[str, set[str]]:
    """Names of nodes that only training wants, by criterion."""
    found: dict[str, set[str]] = {"counters": set(), "dropouts": set(), "batch norms": set()}
    for node in gm.graph.nodes:
        if node.op != "call_function":
            continue
        schema = getattr(node.target, "_schema", None)
        first = node.args[0] if node.args else None
        if schema is not None and schema.is_mutable and getattr(first, "op", "") == "get_attr":
            found["counters"].add(node.name)
        elif str(node.target) in DROPOUTS and node.args[2]:
            found["dropouts"].add(node.name)
        elif str(node.target) == _bn.BATCH_NORM and node.args[5]:
            found["batch norms"].add(node.name)
    return found


def _prepared(case: Case) -> "fx.GraphModule":
    return _bn.prepared_without_labels(_bn.graph(case))
