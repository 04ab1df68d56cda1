"""How far a trained graph and what convert makes of it are apart, measured without changing anything."""

import copy
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import NUMBER, Evidence, Recorder

if TYPE_CHECKING:
    import torch
    from torch import fx

_FLAG = {"type": "boolean"}


class PreparedEqualsConverted(Exercise):
    """prepared_equals_converted(prepared, x): the largest difference between a prepared graph and its conversion."""

    id = "m06_2.prepared_equals_converted"
    kind = "practice"
    minutes = 10
    criteria = {"difference": 2, "caller's graph untouched": 2}
    must_return = True
    parameters = ("prepared", "x")
    hints = (
        "Two graphs, one input, one number. The observers of `prepared` are still on: what will a forward do to them?",
        "Work on deep copies. On the copy, switch the observers off *before* anything is run.",
        "`frozen = copy.deepcopy(prepared)`, `frozen.apply(disable_observer)`, `converted = convert_pt2e(copy.deepcopy(frozen))`; "
        "then both on x, without gradients, and the largest absolute difference as a float.",
    )
    misconceptions = {
        "observers-on": "A measurement is a forward, and a forward moves the scales of observers that are on. Then the two "
        "graphs round with different scales, or both with scales that nobody trained with.",
        "fake-quant-off": "With fake quant off, the prepared graph is a float net. It is to be compared as it rounds.",
        "mean": "The mean hides a single value that is far off. Asked for is the largest difference.",
        "signed": "A difference can be negative, and the largest one in size may be. `.abs()` comes before `.max()`.",
        "not-a-number": "Yes or no is not enough: whether a difference is one step or a hundred says what is wrong. "
        "(And `allclose` calls different things equal.)",
        "converted-in-place": "`convert_pt2e` replaces the fake quants in the graph that it is given. The caller wants to go "
        "on with the training: hand over a deep copy.",
        "scales-moved": "The graph that was only to be measured has other scales afterwards.",
        "switches-changed": "The caller's graph has other switches than before: the training would go on with frozen scales, "
        "and nobody would know. Switch them on a copy.",
    }
    public_cases = (
        Case(bits=4, fused=False),
        Case(bits=4, fused=True, seed=7),  # the largest difference is a negative one
    )
    facts = {
        "type": {"type": "string"},
        "value": NUMBER,
        "fake_quants": {"type": "integer"},
        "state_changed": _FLAG,
        "switches_changed": _FLAG,
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        import torch

        from common.graph_utils import observer_nodes

        prepared = _prepared(case)
        state, switches = _state(prepared)
        returned = ev.call(answer, prepared, _points(case))
        ev.fact("type", type(returned).__name__[:100])
        after, switches_after = _state(prepared)
        ev.fact("fake_quants", len(observer_nodes(prepared)))
        same = state.keys() == after.keys() and all(torch.equal(state[k], after[k]) for k in state)
        ev.fact("state_changed", not same)
        ev.fact("switches_changed", switches_after != switches)
        if not isinstance(returned, (bool, str)):
            with ev.student("the result was read as a number"):
                ev.fact("value", float(returned))

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        facts = evidence.facts
        yield self._difference(case, evidence)
        criterion = "caller's graph untouched"
        if not facts["fake_quants"]:
            symptom = "The caller's graph has no fake quants any more."
            yield self.failed(criterion, "converted-in-place", symptom)
        elif facts["state_changed"]:
            symptom = "Scales, ranges or weights of the caller's graph have changed."
            yield self.failed(criterion, "scales-moved", symptom)
        elif facts["switches_changed"]:
            yield self.failed(criterion, "switches-changed", "Switches of the caller's graph have changed.")
        else:
            yield self.passed(criterion)

    def _difference(self, case: Case, evidence: Evidence) -> Finding:
        criterion = "difference"
        if not evidence.has("value") or evidence.facts["type"] == "bool":
            detail = f"it returns: {evidence.facts['type']}"
            return self.failed(criterion, "not-a-number", "The function does not return a number.", detail=detail)
        value, known = evidence.facts["value"], _known(case.bits, case.fused, case.seed)
        if abs(value - known["right"]) <= 1e-4 * known["right"]:
            return self.passed(criterion)
        kinds = [k for k, v in known.items() if k != "right" and v and abs(value - v) <= 1e-4 * abs(v)]
        kind = kinds[0].partition(":")[0] if kinds else None
        detail = f"yours: {value:.6g}, wanted: {known['right']:.6g}"
        return self.failed(criterion, kind, "This is not the largest difference of the two graphs.", detail=detail)


def _points(case: Case) -> "torch.Tensor":
    """Further out than the data that the graph has seen: an observer that is on learns from it."""
    import torch

    return torch.linspace(-3.5, 3.5, 71).reshape(71, 1) + 0.001 * case.seed


def _prepared(case: Case) -> "fx.GraphModule":
    """A graph with fake quant that has seen data and was not trained; both switches are on."""
    import torch

    from common.qat import CurveNet, curve, qat_graph

    torch.manual_seed(case.seed)
    graph = qat_graph(CurveNet().eval(), case.bits, fused=case.fused)
    with torch.no_grad():
        graph(curve(64, seed=case.seed)[0])
        for parameter in graph.parameters():
            parameter.mul_(1.02)  # as after a step of training: the range of the weights lags behind
    return graph


def _state(graph: "fx.GraphModule") -> "tuple[dict[str, torch.Tensor], list[list[bool]]]":
    from common.checks.m06_1._nets import fake_quants

    state = {k: v.detach().clone() for k, v in graph.state_dict().items() if not k.endswith("_enabled")}
    switches = [[bool(m.observer_enabled[0]), bool(m.fake_quant_enabled[0])] for m in fake_quants(graph).values()]
    return state, switches


@lru_cache(maxsize=16)
def _known(bits: int, fused: bool, seed: int) -> dict[str, float]:
    """The right difference, and those of known mistakes."""
    import torch

    from common.pt2e import convert_pt2e, disable_fake_quant, disable_observer

    case = Case(bits=bits, fused=fused, seed=seed)
    prepared, x = _prepared(case), _points(case)

    with torch.no_grad():
        frozen = copy.deepcopy(prepared).apply(disable_observer)
        converted = convert_pt2e(copy.deepcopy(frozen))(x)
        signed = frozen(x) - converted
        right = signed.abs()
        learning = copy.deepcopy(prepared)
        moved = learning(x)
        later = convert_pt2e(copy.deepcopy(learning))(x)
        then = (copy.deepcopy(learning).apply(disable_observer)(x) - later).abs()
        float_net = copy.deepcopy(frozen).apply(disable_fake_quant)(x)
    return {
        "right": float(right.max()),
        "observers-on:converted before": float((moved - converted).abs().max()),
        "observers-on:converted after": float((moved - later).abs().max()),
        "observers-on:run twice": float(then.max()),
        "fake-quant-off": float((float_net - converted).abs().max()),
        "mean": float(right.mean()),
        "signed:max": float(signed.max()),
        "signed:min": float(signed.min()),
        "signed:max of the negative": float((-signed).max()),
    }
