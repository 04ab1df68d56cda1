# finds: other-ops
from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer, SharedQuantizationSpec


class SharedPool(Quantizer):
    def __init__(self, base, spec, targets):
        self.base, self.spec, self.targets = base, spec, targets

    def annotate(self, model):
        self.base.annotate(model)
        for node in model.graph.nodes:
            if any(word in node.name for word in ("pool", "cat", "flatten", "shuffle")):
                first, *others = node.all_input_nodes
                shared = SharedQuantizationSpec((first, node))
                node.meta[ANNOTATION_KEY] = QuantizationAnnotation(
                    {first: self.spec, **dict.fromkeys(others, shared)}, shared
                )
        return model

    def validate(self, model):
        self.base.validate(model)
