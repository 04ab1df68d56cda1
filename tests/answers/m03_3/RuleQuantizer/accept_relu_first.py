import torch

from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer


class RuleQuantizer(Quantizer):
    """Larger patterns first, as XNNPACKQuantizer does it; op names as text, but whole ones."""

    CORES = {"aten.conv2d.default": 1, "aten.linear.default": 1, "aten.add.Tensor": 2, "aten.add_.Tensor": 2}
    RELUS = ("aten.relu.default", "aten.relu_.default")

    def __init__(self, activation, weight):
        self.activation = activation
        self.weight = weight

    def inputs_of(self, node):
        data = node.args[: self.CORES[str(node.target)]]
        found = {a: self.activation for a in data if isinstance(a, torch.fx.Node)}
        if len(data) == 1:
            found[node.args[1]] = self.weight
            for bias in node.args[2:3]:
                if bias is not None:
                    found[bias] = None
        return found

    def annotate(self, model):
        for node in model.graph.nodes:
            if str(node.target) in self.RELUS:
                core = node.args[0]
                if str(core.target) in self.CORES and set(core.users) == {node}:
                    core.meta[ANNOTATION_KEY] = QuantizationAnnotation(self.inputs_of(core), _annotated=True)
                    node.meta[ANNOTATION_KEY] = QuantizationAnnotation(output_qspec=self.activation, _annotated=True)
        for node in model.graph.nodes:
            if str(node.target) in self.CORES and ANNOTATION_KEY not in node.meta:
                node.meta[ANNOTATION_KEY] = QuantizationAnnotation(self.inputs_of(node), self.activation)

    def validate(self, model):
        return None
