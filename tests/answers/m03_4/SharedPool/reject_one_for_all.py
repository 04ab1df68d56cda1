# finds: shares-too-much
from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer, SharedQuantizationSpec


class SharedPool(Quantizer):
    def __init__(self, base, spec, targets):
        self.base, self.spec, self.targets = base, spec, targets

    def annotate(self, model):
        self.base.annotate(model)
        place = None
        for node in model.graph.nodes:
            if node.op == "call_function" and node.target in self.targets:
                first, *_others = node.all_input_nodes
                if place is None:
                    place = (first, node)
                shared = SharedQuantizationSpec(place)
                labels = dict.fromkeys(node.all_input_nodes, shared)
                if place == (first, node):
                    labels[first] = self.spec
                node.meta[ANNOTATION_KEY] = QuantizationAnnotation(labels, shared)
        return model

    def validate(self, model):
        self.base.validate(model)
