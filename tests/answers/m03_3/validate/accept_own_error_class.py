# An error class of its own, and several problems in one message.
import torch

from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation


class Impossible(ValueError):
    pass


def problems(model):
    kernels = (
        "aten.conv2d.default",
        "aten.linear.default",
        "aten.add.Tensor",
        "aten.add_.Tensor",
        "aten.relu.default",
        "aten.relu_.default",
    )
    for node in model.graph.nodes:
        label = node.meta.get(ANNOTATION_KEY) or QuantizationAnnotation()
        edges = {a for a, s in label.input_qspec_map.items() if s is not None}
        if node.op == "call_function" and (edges or label.output_qspec is not None) and str(node.target) not in kernels:
            yield f"{node.name} has a spec, and the chip has no kernel"
        for spec in (*label.input_qspec_map.values(), label.output_qspec):
            if getattr(spec, "dtype", torch.int8) is not torch.int8:
                yield f"{node.name} wants {spec.dtype}"
        if str(node.target) in kernels[:2] and len(edges & set(node.args[:2])) == 1:
            yield f"{node.name} is half a unit"


def validate(model):
    found = list(problems(model))
    if found:
        raise Impossible("; ".join(found))
