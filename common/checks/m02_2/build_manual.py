"""Observers at the places where prepare_pt2e would put them, by hand."""

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from common.checks._nets import batches, exported
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import TENSOR, Evidence, Recorder
from common.exercise.graphs import GRAPH, GraphFacts

if TYPE_CHECKING:
    from torch import fx

_QPARAMS = {f"{kind}:{i}": TENSOR for kind in ("scale", "zero_point") for i in range(40)}


class BuildManual(Exercise):
    """build_manual(gm, make_act, make_weight): put observers where prepare_pt2e puts them in a chain of convs."""

    id = "m02_2.build_manual"
    kind = "core"
    minutes = 20
    criteria = {"places": 3, "kinds": 1, "one object for each place": 1, "same qparams": 1}
    must_return = True
    parameters = ("gm", "make_act", "make_weight")
    not_allowed = ("prepare_pt2e", "prepare_qat_pt2e")
    hints = (
        "Walk over a list of the nodes (the graph changes while you work) and look at `node.target`: which node is a "
        "conv2d, and who reads its output?",
        "Three kinds of places: the input x, each conv's weight (`node.args[1]`), and the output of each conv, or of "
        "the relu behind it if there is one.",
        "Call `make_act()` anew for each place, and `gm.recompile()` after the last change.",
    )
    misconceptions = {
        "between-conv-and-relu": "XNNPACK computes conv and relu in one step, so the value between them never exists "
        "as integers. Only the output of the relu is observed.",
        "no-input": "The first conv reads integers as well, so the net's input has to be observed.",
        "no-weight": "A weight is quantized too. Its observer stands on the edge from the weight to the conv.",
        "bias-observed": "A bias is not observed: its scale follows from those of input and weight.",
        "missing-output": "The output of every conv (or of the relu behind it) is what the next op reads as integers; "
        "the last one counts as well.",
        "one-object": "One observer object at several places collects the range of all of them together. Each place "
        "needs its own.",
        "weight-per-tensor": "The weight has its own spec: one scale for each output channel.",
        "no-recompile": "The graph was changed, but `forward` is generated code. Until `recompile()` it is the old "
        "code, and the observers see nothing.",
    }
    public_cases = (
        Case(model="conv_relu", per_channel=True),
        Case(model="conv_relu_conv", per_channel=True, seed=3),
    )
    facts = {
        "after": GRAPH,
        "is_graph_module": {"type": "boolean"},
        "observed": {
            "type": "array",
            "maxItems": 40,
            "items": {
                "type": "object",
                "required": ["node", "producer", "class", "has_data"],
                "properties": {
                    "node": {"type": "string"},
                    "producer": {"type": "string"},
                    "class": {"type": "string"},
                    "has_data": {"type": "boolean"},
                },
            },
        },
        **_QPARAMS,
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        import torch
        from torch import fx

        act, weight = _makers(case)
        returned = ev.call(answer, exported(case.model, case.seed), act, weight)
        ev.fact("is_graph_module", isinstance(returned, fx.GraphModule))
        if not isinstance(returned, fx.GraphModule):
            return
        ev.graph("after", returned)
        with ev.student("the changed graph was calibrated"), torch.no_grad():
            for batch in batches(case.seed):
                returned(*batch)
        observed = []
        with ev.student("the observers were read"):
            for i, (node, observer) in enumerate(_observers(returned)[:40]):
                scale, zero_point = observer.calculate_qparams()
                ev.tensor(f"scale:{i}", scale)
                ev.tensor(f"zero_point:{i}", zero_point)
                producer = node.args[0].name if node.args else ""
                has_data = bool(observer.min_val.numel()) and bool(torch.isfinite(observer.min_val).all())
                kind = type(observer).__name__
                observed.append({"node": node.name, "producer": producer, "class": kind, "has_data": has_data})
        ev.fact("observed", observed)

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        if evidence.has("after"):
            places = list(self._places(evidence.graph("after"), _prepared(case.model, case.seed, case.per_channel)))
            yield from (f for f in places if not f.passed)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        if not evidence.facts["is_graph_module"]:
            symptom = "The function does not return the changed graph module."
            yield Finding(None, False, "returns-nothing", symptom, "The caller goes on with what the function returns.")
            return
        after, wanted = evidence.graph("after"), _prepared(case.model, case.seed, case.per_channel)
        yield from self._places(after, wanted)
        observed = {o["producer"]: (i, o) for i, o in enumerate(evidence.facts["observed"])}
        yield self._objects(after)
        yield self._kinds(observed, wanted)
        yield self._qparams(evidence, observed, wanted)

    def _places(self, after: GraphFacts, wanted: dict[str, Any]) -> Iterator[Finding]:
        found = {n.inputs[0]: n.name for n in _calls(after) if n.inputs}
        by_name = after.by_name
        extra, missing = set(found) - set(wanted), set(wanted) - set(found)
        for producer in sorted(extra):
            kind = None
            symptom = "There is an observer at a place where prepare_pt2e puts none."
            if producer.endswith("bias"):
                kind, symptom = "bias-observed", "There is an observer on a bias."
            elif producer in by_name and "conv2d" in by_name[producer].target:
                kind, symptom = "between-conv-and-relu", "There is an observer between a conv and its relu."
            yield self._misplaced(kind, symptom, producer, (found[producer],))
        for producer in sorted(missing):
            node = by_name.get(producer)
            kind, symptom = "missing-output", "The output of a conv or relu is not observed."
            if node is not None and node.op == "placeholder":
                kind, symptom = "no-input", "The input of the net is not observed."
            elif node is not None and node.op == "get_attr":
                kind, symptom = "no-weight", "A weight is not observed."
            yield self._misplaced(kind, symptom, producer, (producer,))
        for n in _calls(after):
            readers = after.users(n.inputs[0]) if n.inputs else []
            rest = [u for u in readers if u not in (n.name, "_guards_fn")]  # that one only checks shapes
            if rest and n.inputs[0] in wanted:
                symptom = "An observer hangs beside the graph: the consumers do not read it."
                yield self._misplaced(None, symptom, n.inputs[0], ((n.inputs[0], rest[0]),))
        if not extra and not missing:
            yield self.passed("places")

    def _misplaced(self, kind: str | None, symptom: str, where: str, mark: tuple[Any, ...]) -> Finding:
        return self.failed("places", kind, symptom, detail=f"place: {where}", graph="after", mark=mark)

    def _objects(self, after: GraphFacts) -> Finding:
        calls = [n.target for n in _calls(after)]
        objects = {after.modules.get(t, {}).get("same_as", t) for t in calls}
        if calls and len(objects) == len(calls):
            return self.passed("one object for each place")
        symptom = "One observer object stands at more than one place." if calls else "There are no observers."
        return self.failed("one object for each place", "one-object" if calls else None, symptom)

    def _kinds(self, observed: dict[str, Any], wanted: dict[str, Any]) -> Finding:
        for producer, observer in wanted.items():
            kind = type(observer).__name__
            if producer in observed and observed[producer][1]["class"] != kind:
                symptom = "An observer is of another kind than the one that prepare_pt2e uses at its place."
                detail = f"{producer}: asked for {kind}, yours {observed[producer][1]['class']}"
                wrong_weight = kind.startswith("PerChannel")
                return self.failed("kinds", "weight-per-tensor" if wrong_weight else None, symptom, detail=detail)
        if not set(observed) & set(wanted):
            return self.failed("kinds", None, "There is no observer to compare.")
        return self.passed("kinds")

    def _qparams(self, evidence: Evidence, observed: dict[str, Any], wanted: dict[str, Any]) -> Finding:
        import torch

        criterion = "same qparams"
        if observed and not any(o["has_data"] for _i, o in observed.values()):
            symptom = "After calibration no observer has seen any data."
            return self.failed(criterion, "no-recompile", symptom)
        for producer, observer in wanted.items():
            scale, zero_point = observer.calculate_qparams()
            i = observed[producer][0] if producer in observed else None
            same = i is not None and torch.equal(evidence.tensor(f"scale:{i}"), scale)
            if not (same and torch.equal(evidence.tensor(f"zero_point:{i}"), zero_point)):
                symptom = "After the same calibration, scale or zero point differ from those of prepare_pt2e."
                return self.failed(criterion, None, symptom, detail=f"place: {producer}")
        return self.passed(criterion)


@lru_cache(maxsize=16)
def _prepared(model: str, seed: int, per_channel: bool) -> dict[str, Any]:
    """What prepare_pt2e does with this net: observed node → calibrated observer."""
    import torch

    from common.pt2e import get_xnnpack_quantizer, prepare_pt2e

    quantizer, _source = get_xnnpack_quantizer(is_per_channel=per_channel)
    prepared = prepare_pt2e(exported(model, seed), quantizer)
    with torch.no_grad():
        for batch in batches(seed):
            prepared(*batch)
    return {node.args[0].name: observer for node, observer in _observers(prepared)}


def _calls(after: GraphFacts) -> list[Any]:
    return [n for n in after.nodes if n.op == "call_module" and n.target != "_guards_fn"]


def _observers(gm: "fx.GraphModule") -> list[tuple[Any, Any]]:
    from common.graph_utils import observer_nodes

    return observer_nodes(gm)


def _makers(case: Case) -> tuple[Any, Any]:
    """What the exercise hands to the answer: functions that build an observer as the quantizer's specs say."""
    from common.pt2e import get_xnnpack_quantizer

    config: Any = get_xnnpack_quantizer(is_per_channel=case.per_channel)[0].global_config
    act, weight = config.input_activation, config.weight
    axis = {"ch_axis": weight.ch_axis} if case.per_channel else {}

    def make_act() -> Any:
        return act.observer_or_fake_quant_ctr.with_args(**_settings(act))()

    def make_weight() -> Any:
        return weight.observer_or_fake_quant_ctr.with_args(**_settings(weight), **axis)()

    return make_act, make_weight


def _settings(spec: Any) -> dict[str, Any]:
    names = ("dtype", "quant_min", "quant_max", "qscheme")
    return {name: getattr(spec, name) for name in names}
