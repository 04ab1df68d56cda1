# finds: by-name
# not: bias-quantized, weight-forgotten
# Knows weights and biases by their names.
import torch

from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer

aten = torch.ops.aten


class RuleQuantizer(Quantizer):
    def __init__(self, activation, weight):
        self.activation, self.weight = activation, weight

    def annotate(self, model):
        for node in model.graph.nodes:
            if node.target in (aten.conv2d.default, aten.linear.default):
                read = {
                    a: self.weight if "weight" in a.name else self.activation
                    for a in node.all_input_nodes
                    if "bias" not in a.name
                }
            elif node.target in (aten.add.Tensor, aten.add_.Tensor):
                read = {a: self.activation for a in node.args[:2] if isinstance(a, torch.fx.Node)}
            else:
                continue
            users = list(node.users)
            unit = len(users) == 1 and users[0].target in (aten.relu.default, aten.relu_.default)
            node.meta[ANNOTATION_KEY] = QuantizationAnnotation(
                input_qspec_map=read, output_qspec=None if unit else self.activation
            )
            if unit:
                users[0].meta[ANNOTATION_KEY] = QuantizationAnnotation(output_qspec=self.activation)
        return model

    def validate(self, model):
        pass
