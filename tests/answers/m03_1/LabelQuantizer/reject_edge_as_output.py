# finds: edge-as-output
from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer


class LabelQuantizer(Quantizer):
    def __init__(self, labels, spec):
        self.labels, self.spec = labels, spec

    def annotate(self, model):
        nodes = {n.name: n for n in model.graph.nodes}
        for _kind, name, *_ in self.labels:
            nodes[name].meta[ANNOTATION_KEY] = QuantizationAnnotation(output_qspec=self.spec)
        return model

    def validate(self, model):
        pass
