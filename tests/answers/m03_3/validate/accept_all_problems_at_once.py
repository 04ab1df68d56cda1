# A subclass of ValueError; what it returns does not matter.
import torch

from common.pt2e import ANNOTATION_KEY, SharedQuantizationSpec

KNOWN = ("conv2d.default", "linear.default", "add.Tensor", "add_.Tensor", "relu.default", "relu_.default")


class CannotDo(ValueError):
    pass


def name_of(node):
    return str(node.target).removeprefix("aten.")


def problems(node):
    note = node.meta[ANNOTATION_KEY]
    asked = {place: spec for place, spec in note.input_qspec_map.items() if spec}
    if note.output_qspec:
        asked["output"] = note.output_qspec
    if asked and node.op not in ("placeholder", "get_attr") and name_of(node) not in KNOWN:
        yield "unknown operation"
    if any(not isinstance(s, SharedQuantizationSpec) and s.dtype is not torch.int8 for s in asked.values()):
        yield "a type that is not int8"
    if name_of(node) in KNOWN[:2] and len({node.args[0], node.args[1]} & asked.keys()) == 1:
        yield "half of its inputs"


def validate(model):
    labelled = [n for n in model.graph.nodes if n.meta.get(ANNOTATION_KEY)]
    found = [f"{node} ({problem})" for node in labelled for problem in problems(node)]
    if found:
        raise CannotDo("; ".join(found))
    return model
