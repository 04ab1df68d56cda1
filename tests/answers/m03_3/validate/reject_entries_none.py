# finds: half-not-seen
# not: shared-asks-too
# Takes an entry None for a spec.
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
        for spec in specs:
            if not isinstance(spec, SharedQuantizationSpec) and spec.dtype != torch.int8:
                raise ValueError(f"{node.name}: {spec.dtype} is not int8")
        if node.target in (aten.conv2d.default, aten.linear.default):
            data, weight = (True if a in label.input_qspec_map else None for a in node.args[:2])
            if (data is None) != (weight is None):
                raise ValueError(f"{node.name}: only one of data and weight has a spec")
