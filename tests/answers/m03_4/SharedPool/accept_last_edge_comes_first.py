# The last input carries the settings, and stands first in the dict.
from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer, SharedQuantizationSpec


class SharedPool(Quantizer):
    def __init__(self, base, spec, targets):
        self.base, self.spec, self.targets = base, spec, targets

    def annotate(self, model):
        self.base.annotate(model)
        for node in model.graph.nodes:
            if node.target in self.targets:
                *others, last = node.all_input_nodes
                share = SharedQuantizationSpec((last, node))
                node.meta[ANNOTATION_KEY] = QuantizationAnnotation({last: self.spec, **dict.fromkeys(others, share)}, share)

    def validate(self, model):
        self.base.validate(model)
