# finds: refers-to-nothing
# not: cycle
from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer, SharedQuantizationSpec


class SharedPool(Quantizer):
    def __init__(self, base, spec, targets):
        self.base, self.spec, self.targets = base, spec, targets

    def annotate(self, model):
        self.base.annotate(model)
        for node in model.graph.nodes:
            if node.op == "call_function" and node.target in self.targets:
                first, *_others = node.all_input_nodes
                shared = SharedQuantizationSpec(first)
                node.meta[ANNOTATION_KEY] = QuantizationAnnotation(dict.fromkeys(node.all_input_nodes, shared), shared)
        return model

    def validate(self, model):
        self.base.validate(model)
