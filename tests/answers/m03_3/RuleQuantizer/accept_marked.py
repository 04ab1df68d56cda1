# Marks annotations as torchao does, and has entries None for biases.
import torch

from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer

aten = torch.ops.aten


class RuleQuantizer(Quantizer):
    def __init__(self, activation, weight):
        self.activation, self.weight = activation, weight

    RELUS = {aten.relu.default, aten.relu_.default}

    def _finish(self, node, inputs):
        last = node
        if len(node.users) == 1 and next(iter(node.users)).target in self.RELUS:
            last = next(iter(node.users))
        for n in {node, last}:
            n.meta[ANNOTATION_KEY] = QuantizationAnnotation(_annotated=True)
        for arg, spec in inputs:
            node.meta[ANNOTATION_KEY].input_qspec_map[arg] = spec
        last.meta[ANNOTATION_KEY].output_qspec = self.activation

    def _layer(self, node):
        inputs = [(node.args[0], self.activation), (node.args[1], self.weight)]
        if len(node.args) > 2 and node.args[2] is not None:
            inputs.append((node.args[2], None))
        self._finish(node, inputs)

    def _add(self, node):
        self._finish(node, [(a, self.activation) for a in node.args[:2] if not isinstance(a, (int, float))])

    def annotate(self, model):
        rules = {
            aten.conv2d.default: self._layer,
            aten.linear.default: self._layer,
            aten.add.Tensor: self._add,
            aten.add_.Tensor: self._add,
        }
        for node in model.graph.nodes:
            if node.op == "call_function" and node.target in rules:
                rules[node.target](node)
        return model

    def validate(self, model):
        pass
