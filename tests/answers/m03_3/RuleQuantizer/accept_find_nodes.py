import torch
from torch import fx

from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer

aten = torch.ops.aten


def note_of(node):
    if ANNOTATION_KEY not in node.meta:
        node.meta[ANNOTATION_KEY] = QuantizationAnnotation()
    return node.meta[ANNOTATION_KEY]


class RuleQuantizer(Quantizer):
    def __init__(self, activation, weight):
        self.specs = {"data": activation, "weight": weight}
        self.roles = {
            aten.conv2d.default: ("data", "weight"),
            aten.linear.default: ("data", "weight"),
            aten.add.Tensor: ("data", "data"),
            aten.add_.Tensor: ("data", "data"),
        }

    def annotate(self, model):
        for target, roles in self.roles.items():
            for node in model.graph.find_nodes(op="call_function", target=target):
                for argument, role in zip(node.args, roles):
                    if isinstance(argument, fx.Node):
                        note_of(node).input_qspec_map[argument] = self.specs[role]
                match list(node.users):
                    case [fx.Node(target=aten.relu.default | aten.relu_.default) as relu]:
                        note_of(relu).output_qspec = self.specs["data"]
                    case _:
                        note_of(node).output_qspec = self.specs["data"]
        return model

    def validate(self, model):
        pass
