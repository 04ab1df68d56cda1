# finds: equal-specs
# not: shares-too-much
# Shares only where another quantizer has labelled the producer.
from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer, SharedQuantizationSpec


class SharedPool(Quantizer):
    def __init__(self, base, spec, targets):
        self.base, self.spec, self.targets = base, spec, targets

    def annotate(self, model):
        self.base.annotate(model)
        # take the producer's label if it has one
        for node in model.graph.nodes:
            if node.target in self.targets:
                first, *others = node.all_input_nodes
                share = SharedQuantizationSpec(first) if ANNOTATION_KEY in first.meta else self.spec
                node.meta[ANNOTATION_KEY] = QuantizationAnnotation(dict.fromkeys(node.all_input_nodes, share), share)

    def validate(self, model):
        self.base.validate(model)
