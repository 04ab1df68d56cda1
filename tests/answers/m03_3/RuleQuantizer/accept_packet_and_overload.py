# Packet and name of the overload, each compared by itself.
import torch

from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer

aten = torch.ops.aten
CONV_LINEAR = {(aten.conv2d, "default"), (aten.linear, "default")}
ADD = {(aten.add, "Tensor"), (aten.add_, "Tensor")}
RELU = {(aten.relu, "default"), (aten.relu_, "default")}


def kind(node):
    if not isinstance(node.target, torch._ops.OpOverload):
        return None
    return node.target.overloadpacket, node.target._overloadname


class RuleQuantizer(Quantizer):
    def __init__(self, activation, weight):
        self.activation, self.weight = activation, weight

    def annotate(self, model):
        for node in model.graph.nodes:
            if kind(node) in CONV_LINEAR:
                inputs = {node.args[0]: self.activation, node.args[1]: self.weight}
            elif kind(node) in ADD:
                inputs = {a: self.activation for a in node.args[:2] if isinstance(a, torch.fx.Node)}
            else:
                continue
            node.meta[ANNOTATION_KEY] = QuantizationAnnotation(input_qspec_map=inputs)
            readers = list(node.users)
            end = readers[0] if len(readers) == 1 and kind(readers[0]) in RELU else node
            end.meta.setdefault(ANNOTATION_KEY, QuantizationAnnotation()).output_qspec = self.activation
        return model

    def validate(self, model):
        pass
