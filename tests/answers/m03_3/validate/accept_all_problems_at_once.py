# A subclass of ValueError; what it returns does not matter.
import torch

from common.graph_utils import short
from common.pt2e import ANNOTATION_KEY, SharedQuantizationSpec


class CannotDo(ValueError):
    pass


def problems(node):
    note = node.meta[ANNOTATION_KEY]
    asked = {place: spec for place, spec in note.input_qspec_map.items() if spec}
    if note.output_qspec:
        asked["output"] = note.output_qspec
    if asked and node.op not in ("placeholder", "get_attr") and short(node.target).rstrip("_") not in (
        "conv2d",
        "linear",
        "add",
        "relu",
    ):
        yield "unknown operation"
    if any(not isinstance(s, SharedQuantizationSpec) and s.dtype is not torch.int8 for s in asked.values()):
        yield "a type that is not int8"
    if short(node.target) in ("conv2d", "linear") and len({node.args[0], node.args[1]} & asked.keys()) == 1:
        yield "half of its inputs"


def validate(model):
    labelled = [n for n in model.graph.nodes if n.meta.get(ANNOTATION_KEY)]
    found = [f"{node} ({problem})" for node in labelled for problem in problems(node)]
    if found:
        raise CannotDo("; ".join(found))
    return model
