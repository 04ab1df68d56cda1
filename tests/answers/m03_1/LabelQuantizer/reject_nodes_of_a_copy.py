# Keys are nodes of a copy.
# finds: on-a-copy
# not: graph-changed
import copy

from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer


class LabelQuantizer(Quantizer):
    def __init__(self, labels, spec):
        self.labels = labels
        self.spec = spec

    def validate(self, model):
        pass

    def annotate(self, model):
        # copy, labels put on the copied node keys: nodes of the copy as keys on the original
        other = {n.name: n for n in copy.deepcopy(model).graph.nodes}
        nodes = {n.name: n for n in model.graph.nodes}
        for label in self.labels:
            note = nodes[label[-1]].meta.setdefault(ANNOTATION_KEY, QuantizationAnnotation())
            if label[0] == "out":
                note.output_qspec = self.spec
            else:
                note.input_qspec_map[other[label[1]]] = self.spec
        return model
