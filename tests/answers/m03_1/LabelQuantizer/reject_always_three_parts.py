# Takes each label apart into three.
# finds: two-kinds-of-label
# not: raised

from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer


class LabelQuantizer(Quantizer):
    def __init__(self, labels, spec):
        self.labels = labels
        self.spec = spec

    def validate(self, model):
        pass

    def annotate(self, model):
        nodes = {n.name: n for n in model.graph.nodes}
        for _kind, a, b in self.labels:
            note = nodes[b].meta.setdefault(ANNOTATION_KEY, QuantizationAnnotation())
            note.input_qspec_map[nodes[a]] = self.spec
        return model
