# finds: raised
# not: not-a-quantizer, not-an-annotation, key-is-a-name
from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer


class LabelQuantizer(Quantizer):
    def __init__(self, labels, spec):
        self.labels, self.spec = labels, spec

    def annotate(self, model):
        nodes = {n.name: n for n in model.graph.nodes}
        for kind, *names in self.labels:
            note = nodes[names[-1]].meta.setdefault(ANNOTATION_KEY, {})
            note.output_qspec = self.specs
        return model

    def validate(self, model):
        pass
