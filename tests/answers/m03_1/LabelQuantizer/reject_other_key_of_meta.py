# finds: another-place
from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer


class LabelQuantizer(Quantizer):
    def __init__(self, labels, spec):
        self.labels, self.spec = labels, spec

    def annotate(self, model):
        nodes = {n.name: n for n in model.graph.nodes}
        for kind, *names in self.labels:
            note = nodes[names[-1]].meta.setdefault("qspec", QuantizationAnnotation())
            if kind == "out":
                note.output_qspec = self.spec
            else:
                note.input_qspec_map[nodes[names[0]]] = self.spec
        return model

    def validate(self, model):
        pass
