# With the helpers of torchao that write into an annotation.
import torch

from common.pt2e import Quantizer

aten = torch.ops.aten


class RuleQuantizer(Quantizer):
    def __init__(self, activation, weight):
        self.activation, self.weight = activation, weight

    def annotate(self, model):
        from torchao.quantization.pt2e.quantizer.utils import annotate_input_qspec_map, annotate_output_qspec

        for node in model.graph.nodes:
            if node.target in [aten.conv2d.default, aten.linear.default]:
                annotate_input_qspec_map(node, node.args[0], self.activation)
                annotate_input_qspec_map(node, node.args[1], self.weight)
            elif node.target in [aten.add.Tensor, aten.add_.Tensor]:
                for a in node.args[:2]:
                    if isinstance(a, torch.fx.Node):
                        annotate_input_qspec_map(node, a, self.activation)
            else:
                continue
            out = node
            if len(node.users) == 1:
                (user,) = node.users
                if user.target in [aten.relu.default, aten.relu_.default]:
                    out = user
            annotate_output_qspec(out, self.activation)
        return model

    def validate(self, model):
        pass
