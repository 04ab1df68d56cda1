# finds: refers-to-nothing
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
                node.meta[ANNOTATION_KEY] = QuantizationAnnotation({**dict.fromkeys(others, share), last: self.spec}, share)

    def validate(self, model):
        self.base.validate(model)
