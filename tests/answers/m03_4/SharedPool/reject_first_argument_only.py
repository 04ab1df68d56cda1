# finds: first-input-only
# Knows lists and single inputs, but not a second argument.
from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer, SharedQuantizationSpec


class SharedPool(Quantizer):
    def __init__(self, base, spec, targets):
        self.base, self.spec, self.targets = base, spec, targets

    def annotate(self, model):
        self.base.annotate(model)
        for node in model.graph.nodes:
            if node.target in self.targets:
                ins = node.args[0] if isinstance(node.args[0], (list, tuple)) else [node.args[0]]
                share = SharedQuantizationSpec((ins[0], node))
                m = {i: share for i in ins}; m[ins[0]] = self.spec
                node.meta[ANNOTATION_KEY] = QuantizationAnnotation(m, share)

    def validate(self, model):
        self.base.validate(model)
