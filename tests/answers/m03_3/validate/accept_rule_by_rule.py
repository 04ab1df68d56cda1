import torch

from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation

aten = torch.ops.aten


def validate(model):
    notes = {n: n.meta.get(ANNOTATION_KEY) or QuantizationAnnotation() for n in model.graph.nodes}
    specs = {n: [*note.input_qspec_map.values(), note.output_qspec] for n, note in notes.items()}
    for node in notes:
        if node.op == "call_function" and any(s is not None for s in specs[node]):
            match node.target:
                case aten.conv2d.default | aten.linear.default | aten.add.Tensor | aten.add_.Tensor:
                    pass
                case aten.relu.default | aten.relu_.default:
                    pass
                case other:
                    raise ValueError("operation", node.name, str(other))
    for node, asked in specs.items():
        for spec in asked:
            if getattr(spec, "dtype", torch.int8) != torch.int8:
                raise ValueError("type", node.name, spec.dtype)
    for target in (aten.conv2d.default, aten.linear.default):
        for node in model.graph.find_nodes(op="call_function", target=target):
            entries = notes[node].input_qspec_map
            if sum(entries.get(a) is not None for a in node.args[:2]) == 1:
                raise ValueError("half", node.name)
