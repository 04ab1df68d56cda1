# finds: cycle
# not: refers-to-nothing
from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer, SharedQuantizationSpec


class SharedPool(Quantizer):
    def __init__(self, base, spec, targets):
        self.base, self.spec, self.targets = base, spec, targets

    def annotate(self, model):
        self.base.annotate(model)
        for node in model.graph.nodes:
            if node.op == "call_function" and node.target in self.targets:
                first, *_others = node.all_input_nodes
                labels = dict.fromkeys(node.all_input_nodes, SharedQuantizationSpec(node))
                node.meta[ANNOTATION_KEY] = QuantizationAnnotation(labels, SharedQuantizationSpec((first, node)))
        return model

    def validate(self, model):
        self.base.validate(model)
