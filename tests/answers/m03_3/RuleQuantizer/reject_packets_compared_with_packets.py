# finds: other-overload
# not: part-of-a-name, packet-or-overload
# Packet compared with packet: other overloads fit as well.
import torch

from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer

aten = torch.ops.aten
CONV_LINEAR = {aten.conv2d, aten.linear}
ADD = {aten.add, aten.add_}
RELU = {aten.relu, aten.relu_}


def packet(node):
    return getattr(node.target, "overloadpacket", None)


class RuleQuantizer(Quantizer):
    def __init__(self, activation, weight):
        self.activation, self.weight = activation, weight

    def annotate(self, model):
        for node in model.graph.nodes:
            if packet(node) in CONV_LINEAR:
                inputs = {node.args[0]: self.activation, node.args[1]: self.weight}
            elif packet(node) in ADD:
                inputs = {a: self.activation for a in node.args[:2] if isinstance(a, torch.fx.Node)}
            else:
                continue
            node.meta[ANNOTATION_KEY] = QuantizationAnnotation(input_qspec_map=inputs)
            readers = list(node.users)
            end = readers[0] if len(readers) == 1 and packet(readers[0]) in RELU else node
            end.meta.setdefault(ANNOTATION_KEY, QuantizationAnnotation()).output_qspec = self.activation
        return model

    def validate(self, model):
        pass
