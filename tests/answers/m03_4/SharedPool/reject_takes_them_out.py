# finds: graph-changed
from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer, SharedQuantizationSpec


class SharedPool(Quantizer):
    def __init__(self, base, spec, targets):
        self.base, self.spec, self.targets = base, spec, targets

    def annotate(self, model):
        self.base.annotate(model)
        for node in model.graph.nodes:
            if node.op == "call_function" and node.target in self.targets:
                first, *others = node.all_input_nodes
                shared = SharedQuantizationSpec((first, node))
                labels = {first: self.spec, **dict.fromkeys(others, shared)}
                node.meta[ANNOTATION_KEY] = QuantizationAnnotation(labels, shared)
                node.replace_all_uses_with(first)
        model.recompile()
        return model

    def validate(self, model):
        self.base.validate(model)
