# A KeyError that is not about a name of the list.
# finds: raised
# not: looked-up-wrongly

from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer


class LabelQuantizer(Quantizer):
    def __init__(self, labels, spec):
        self.labels = labels
        self.spec = spec

    def validate(self, model):
        pass

    def annotate(self, model):
        nodes = {n.name: n for n in model.graph.nodes}
        nodes["input"]
        for label in self.labels:
            note = nodes[label[-1]].meta.setdefault(ANNOTATION_KEY, QuantizationAnnotation())
            if label[0] == "out":
                note.output_qspec = self.spec
            else:
                note.input_qspec_map[nodes[label[1]]] = self.spec
        return model
