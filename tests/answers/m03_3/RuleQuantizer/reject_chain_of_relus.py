# finds: output-forgotten, lonely-relu
# Takes all relus in a row into the unit.
import torch

from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer

aten = torch.ops.aten


class RuleQuantizer(Quantizer):
    def __init__(self, activation, weight):
        self.activation, self.weight = activation, weight

    def annotate(self, model):
        for node in model.graph.nodes:
            if node.target in (aten.conv2d.default, aten.linear.default):
                read = {node.args[0]: self.activation, node.args[1]: self.weight}
            elif node.target in (aten.add.Tensor, aten.add_.Tensor):
                read = {a: self.activation for a in node.args[:2] if isinstance(a, torch.fx.Node)}
            else:
                continue
            users = list(node.users)
            unit = len(users) == 1 and users[0].target in (aten.relu.default, aten.relu_.default)
            node.meta[ANNOTATION_KEY] = QuantizationAnnotation(
                input_qspec_map=read, output_qspec=None if unit else self.activation
            )
            while (
                unit
                and len(users[0].users) == 1
                and next(iter(users[0].users)).target in (aten.relu.default, aten.relu_.default)
            ):
                users = list(users[0].users)
            if unit:
                users[0].meta[ANNOTATION_KEY] = QuantizationAnnotation(output_qspec=self.activation)
        return model

    def validate(self, model):
        pass
