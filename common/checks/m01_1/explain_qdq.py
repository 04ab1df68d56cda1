"""Where the quantize and dequantize nodes of a converted graph come from."""

import copy
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from common.checks._nets import batches, exported
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder

if TYPE_CHECKING:
    from torch import fx

KEYS = ("q", "dq_per_tensor", "dq_per_channel", "stored", "repeated")


class ExplainQDQ(Exercise):
    """explain_qdq(gm): count the q and dq nodes of a converted graph, and say where the uneven numbers come from."""

    id = "m01_1.explain_qdq"
    kind = "practice"
    minutes = 15
    criteria = {"q": 1, "dq": 1, "stored": 1, "repeated": 1}
    must_return = True
    parameters = ("gm",)
    hints = (
        "Print `node.op`, `node.name` and `str(node.target)` for a few nodes of the converted graph. What a node *does* "
        "stands in its target; its name is only a name.",
        "`short(node.target)` gives names such as `quantize_per_tensor`. `'dequantize…'` contains `'quantize…'`: ask with "
        "`startswith`.",
        "For each dequantize node look at `node.args[0]`: a `get_attr` means a stored constant, anything else is a quantize "
        "node. Several dequantize nodes with the same quantize node: all but one are repeated.",
    )
    misconceptions = {
        "weight-as-q": "A stored weight was quantized once, at conversion, and its q is gone. What stands there is a get_attr "
        "that only bears the name `quantize_per_channel_default`: what a node does is in its `op` and `target`.",
        "dq-counted-as-q": "The word “dequantize” contains “quantize”. A search in the text of the target finds both.",
        "two-per-observer": "Not every q has one dq and the reverse: a weight has lost its q, and a value with two readers "
        "has two dq.",
        "only-per-tensor": "A weight that was not folded is quantized per channel in the graph: that is a quantize node too.",
        "per-channel-in-both": "The per-channel dequantize nodes have a number of their own, so the per-tensor ones are "
        "counted without them.",
        "stored-is-per-channel": "Stored means that the dequantize node reads a constant. Whether there is one scale or one "
        "for each channel is another question: weights can be quantized per tensor as well, and need not be folded.",
        "constants-counted": "A stored weight is one weight, but up to three constants: the integers, the scales, the zero "
        "points. Asked for are the dequantize nodes that read *integers* from a constant: look at `dq.args[0]` only.",
        "every-dq": "Not every dequantize node reads a constant. Look at what `dq.args[0]` is: a `get_attr`, or a quantize node.",
        "difference": "There are more dequantize than quantize nodes for two reasons: stored weights, and values with several "
        "readers. The difference holds both.",
        "repeated-missed": "convert_pt2e gives each reader of a quantized value a dequantize node of its own. Where there are "
        "two readers, the second one is repeated.",
        "counts-readers": "The first dequantize node of a quantize node is not a repetition: of k only k − 1 are repeated.",
    }
    public_cases = (
        Case(model="conv_relu", per_channel=True, fold=True),
        Case(model="residual", per_channel=True, fold=True),
        Case(model="conv_relu_conv", per_channel=False, fold=True),
    )
    facts = {
        "is_dict": {"type": "boolean"},
        "keys": {"type": "array", "items": {"type": "string"}, "maxItems": 20},
        "counts": {"type": "object", "additionalProperties": {"type": ["number", "object", "null"]}},
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        returned = ev.call(answer, copy.deepcopy(_converted(case)))
        ev.fact("is_dict", isinstance(returned, dict))
        if isinstance(returned, dict):
            ev.fact("keys", [str(k) for k in list(returned)[:20]])
            with ev.student("the counts were read as numbers"):
                ev.fact("counts", {k: float(returned[k]) for k in KEYS if k in returned})

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        if not evidence.facts["is_dict"] or not set(KEYS) <= set(evidence.facts["counts"]):
            detail = f"asked for: {', '.join(KEYS)}; yours: {', '.join(evidence.facts.get('keys', [])) or 'none'}"
            yield Finding(None, False, "form", "The function does not return a dict with the five keys.", "", detail)
            return
        said, true = evidence.facts["counts"], _counts(case)
        q, dq = true["q"], true["dq_per_tensor"] + true["dq_per_channel"]
        weights, in_graph = true["stored"], true["weights_in_graph"]
        yield self._one(
            "q",
            ("q",),
            said,
            true,
            {
                dq: "two-per-observer",
                q + dq: "dq-counted-as-q",
                q - in_graph: "only-per-tensor",
                q + weights: "weight-as-q",
            },
        )
        per_channel = said["dq_per_channel"] == true["dq_per_channel"]
        yield self._one(
            "dq",
            ("dq_per_tensor", "dq_per_channel"),
            said,
            true,
            {q: "two-per-observer", dq: "per-channel-in-both"} if per_channel else {},
        )
        yield self._one(
            "stored",
            ("stored",),
            said,
            true,
            {
                true["constants"]: "constants-counted",
                true["get_attrs"]: "constants-counted",
                true["tensors"]: "constants-counted",
                dq: "every-dq",
                dq - q: "difference",
                true["dq_per_channel"]: "stored-is-per-channel",
                weights + in_graph: "stored-is-per-channel",
            },
        )
        all_readers = {0: "repeated-missed", true["readers"]: "counts-readers"}
        yield self._one("repeated", ("repeated",), said, true, all_readers)

    def _one(
        self, criterion: str, keys: tuple[str, ...], said: Any, true: dict[str, int], known: dict[int, str]
    ) -> Finding:
        wrong = [k for k in keys if said[k] != true[k]]
        if not wrong:
            return self.passed(criterion)
        more = "more" if said[wrong[0]] > true[wrong[0]] else "fewer"
        symptom = f"`{wrong[0]}` counts {more} nodes than there are."
        detail = f"{wrong[0]}: yours {said[wrong[0]]:g}, counted {true[wrong[0]]}"
        return self.failed(criterion, known.get(said[wrong[0]]), symptom, detail=detail)


def _converted(case: Case) -> "fx.GraphModule":
    return _four_steps(case.model, case.seed, case.per_channel, case.fold)


@lru_cache(maxsize=16)
def _four_steps(model: str, seed: int, per_channel: bool, fold: bool) -> "fx.GraphModule":
    """The net after all four steps; `fold`: whether weights are stored as integers."""
    import torch

    from common.pt2e import convert_pt2e, get_xnnpack_quantizer, prepare_pt2e

    quantizer, _source = get_xnnpack_quantizer(is_per_channel=per_channel)
    prepared = prepare_pt2e(exported(model, seed), quantizer)
    with torch.no_grad():
        for batch in batches(seed, n=1):
            prepared(*batch)
    return convert_pt2e(prepared, fold_quantize=fold)


def _counts(case: Case) -> dict[str, int]:
    from common.graph_utils import qdq_nodes, short

    gm = _converted(case)
    nodes = [(n, short(n.target)) for n in qdq_nodes(gm)]
    q = [n for n, op in nodes if op.startswith("quantize")]
    dq = [n for n, op in nodes if op.startswith("dequantize")]
    readers = [sum(d.args[0] is n for d in dq) for n in q]
    return {
        "q": len(q),
        "dq_per_tensor": sum("per_tensor" in short(n.target) for n in dq),
        "dq_per_channel": sum("per_channel" in short(n.target) for n in dq),
        "stored": sum(getattr(d.args[0], "op", "") == "get_attr" for d in dq),
        "repeated": sum(k - 1 for k in readers if k),
        "constants": sum(getattr(a, "op", "") == "get_attr" for d in dq for a in d.args),
        "get_attrs": sum(n.op == "get_attr" for n in gm.graph.nodes),
        "tensors": len(gm.state_dict()),
        "readers": sum(k for k in readers if k > 1),
        "weights_in_graph": sum(getattr(n.args[0], "op", "") == "get_attr" for n in q),
    }
