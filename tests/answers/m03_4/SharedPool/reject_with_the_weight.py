# finds: shares-with-weight
from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer, SharedQuantizationSpec


class SharedPool(Quantizer):
    def __init__(self, base, spec, targets):
        self.base, self.spec, self.targets = base, spec, targets

    def annotate(self, model):
        self.base.annotate(model)
        for node in model.graph.nodes:
            if node.op == "call_function" and node.target in self.targets:
                first, *others = node.all_input_nodes
                layer = first
                while len(layer.all_input_nodes) < 2 and layer.all_input_nodes:
                    layer = layer.all_input_nodes[0]
                shared = SharedQuantizationSpec((first, node))
                labels = {first: self.spec, **dict.fromkeys(others, shared)}
                if len(layer.all_input_nodes) == 3:  # the scale of the layer before
                    labels = dict.fromkeys(node.all_input_nodes, SharedQuantizationSpec((layer.args[1], layer)))
                node.meta[ANNOTATION_KEY] = QuantizationAnnotation(labels, shared)
        return model

    def validate(self, model):
        self.base.validate(model)
