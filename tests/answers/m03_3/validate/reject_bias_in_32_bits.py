# finds: type-of-bias
# not: edge-not-seen
# Lets any type pass on the edge of a bias.
import torch

from common.pt2e import ANNOTATION_KEY, SharedQuantizationSpec

aten = torch.ops.aten


def validate(model):
    kernels = {
        aten.conv2d.default,
        aten.linear.default,
        aten.add.Tensor,
        aten.add_.Tensor,
        aten.relu.default,
        aten.relu_.default,
    }
    for node in model.graph.nodes:
        label = node.meta.get(ANNOTATION_KEY)
        if label is None:
            continue
        specs = [s for s in [label.output_qspec, *label.input_qspec_map.values()] if s is not None]
        if node.op == "call_function" and specs and node.target not in kernels:
            raise ValueError(f"{node.name}: no integer kernel for {node.target}")
        bias = (
            label.input_qspec_map.get(node.args[2])
            if len(node.args) > 2 and isinstance(node.args[2], torch.fx.Node)
            else None
        )
        for spec in specs:
            if spec is bias:
                continue
            if not isinstance(spec, SharedQuantizationSpec) and spec.dtype != torch.int8:
                raise ValueError(f"{node.name}: {spec.dtype} is not int8")
        if node.target in (aten.conv2d.default, aten.linear.default):
            data, weight = (label.input_qspec_map.get(a) for a in node.args[:2])
            if (data is None) != (weight is None):
                raise ValueError(f"{node.name}: only one of data and weight has a spec")
