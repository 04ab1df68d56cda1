# finds: not-found
from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer, SharedQuantizationSpec


class SharedPool(Quantizer):
    def __init__(self, base, spec, targets):
        self.base, self.spec, self.targets = base, spec, targets

    def annotate(self, model):
        self.base.annotate(model)
        targets = [t.overloadpacket for t in self.targets]
        for node in model.graph.nodes:
            if node.target in targets:
                first, *others = node.all_input_nodes
                share = SharedQuantizationSpec((first, node))
                node.meta[ANNOTATION_KEY] = QuantizationAnnotation({first: self.spec, **dict.fromkeys(others, share)}, share)

    def validate(self, model):
        self.base.validate(model)
