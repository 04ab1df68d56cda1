"""What the two predictions share: a number as the answer, the net, and what prepare_pt2e makes of it."""

import math
from functools import lru_cache
from typing import Any

from common.exercise.base import Case
from common.exercise.evidence import NUMBER, Recorder

NET = "pool_chain"


class NumberPredicted:
    """The half of an exercise that asks for a number: put it in front of `Exercise` among the bases."""

    must_return = True
    parameters = ()
    not_allowed = ("prepare_pt2e", "observer_nodes")
    public_cases = (Case(),)
    facts = {"answer": NUMBER}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        """Record the number that the answer returns."""
        predicted = ev.call(answer)
        with ev.student("the prediction was read as a number"):
            ev.fact("answer", float(predicted))


@lru_cache(maxsize=1)
def counted() -> dict[str, int]:
    """Return what there is to count in the prepared net: places, objects, and what might be counted by mistake."""
    from common.checks._nets import exported
    from common.graph_utils import observer_nodes, op_counts
    from common.pt2e import get_xnnpack_quantizer, prepare_pt2e

    gm = exported(NET, 0)
    ops, parameters = op_counts(gm), [n for n in gm.graph.nodes if n.op == "get_attr"]
    found = observer_nodes(prepare_pt2e(gm, get_xnnpack_quantizer()[0]))
    return {
        "places": len(found),
        "objects": len({id(observer) for _node, observer in found}),
        "weights": ops["conv2d"] + ops["linear"],
        "biases": len(parameters) - ops["conv2d"] - ops["linear"],
        "conv_relu": ops["relu"],
    }


def round_or_none(said: float) -> int | None:
    """Return the nearest whole number, or None where there is none (nan, infinity)."""
    return round(said) if math.isfinite(said) else None
