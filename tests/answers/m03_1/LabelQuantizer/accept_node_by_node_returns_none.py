# What annotate returns is not looked at; all labels of a node are gathered first.
from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer


class LabelQuantizer(Quantizer):
    def __init__(self, labels, spec):
        self.labels, self.spec = labels, spec

    def annotate(self, model):
        for node in model.graph.nodes:
            edges = {p for kind, p, *c in self.labels if kind == "edge" and c[0] == node.name}
            inputs = {n: self.spec for n in node.all_input_nodes if n.name in edges}
            output = self.spec if ("out", node.name) in self.labels else None
            if inputs or output:
                node.meta[ANNOTATION_KEY] = QuantizationAnnotation(inputs, output)

    def validate(self, model):
        pass
