# finds: other-ops
from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer, SharedQuantizationSpec


class SharedPool(Quantizer):
    def __init__(self, base, spec, targets):
        self.base, self.spec, self.targets = base, spec, targets

    def annotate(self, model):
        self.base.annotate(model)
        for node in model.graph.nodes:
            moves = node.target in self.targets or "relu" in node.name or "sigmoid" in node.name
            if node.op == "call_function" and moves:
                first, *others = node.all_input_nodes
                shared = SharedQuantizationSpec((first, node))
                node.meta[ANNOTATION_KEY] = QuantizationAnnotation(
                    {first: self.spec, **dict.fromkeys(others, shared)}, shared
                )
        return model

    def validate(self, model):
        self.base.validate(model)
