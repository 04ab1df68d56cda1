# finds: asks-nothing
# not: inputs-and-weights
import torch

from common.pt2e import ANNOTATION_KEY, SharedQuantizationSpec

aten = torch.ops.aten
CONV_LINEAR = {aten.conv2d.default, aten.linear.default}
KNOWN = CONV_LINEAR | {aten.add.Tensor, aten.add_.Tensor, aten.relu.default, aten.relu_.default}


def validate(model):
    for node in model.graph.nodes:
        note = node.meta.get(ANNOTATION_KEY)
        if note is None:
            continue
        specs = [s for s in (*note.input_qspec_map.values(), note.output_qspec) if s is not None]
        if node.op == "call_function" and node.target not in KNOWN:
            raise ValueError(f"{node.name}: no integer kernel for {node.target}")
        for spec in specs:
            if not isinstance(spec, SharedQuantizationSpec) and spec.dtype != torch.int8:
                raise ValueError(f"{node.name}: {spec.dtype} is asked for, and there is only int8")
        if node.target in CONV_LINEAR:
            data, weight = (note.input_qspec_map.get(a) for a in node.args[:2])
            if (data is None) != (weight is None):
                raise ValueError(f"{node.name}: data and weight need a label, or none of them")
