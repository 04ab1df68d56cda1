# finds: inputs-left-out
from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer


class SharedPool(Quantizer):
    def __init__(self, base, spec, targets):
        self.base, self.spec, self.targets = base, spec, targets

    def annotate(self, model):
        self.base.annotate(model)
        for node in model.graph.nodes:
            if node.op == "call_function" and node.target in self.targets:
                node.meta[ANNOTATION_KEY] = QuantizationAnnotation(output_qspec=self.spec)
        return model

    def validate(self, model):
        self.base.validate(model)
