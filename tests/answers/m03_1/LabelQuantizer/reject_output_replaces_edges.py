# finds: overwrites
# Several edges of one node are kept, but an output label replaces them.
from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer


class LabelQuantizer(Quantizer):
    def __init__(self, labels, spec):
        self.labels, self.spec = labels, spec

    def annotate(self, model):
        nodes = {n.name: n for n in model.graph.nodes}
        for kind, *names in self.labels:
            node = nodes[names[-1]]
            if kind == "out":
                node.meta[ANNOTATION_KEY] = QuantizationAnnotation(output_qspec=self.spec)
            else:
                note = node.meta.setdefault(ANNOTATION_KEY, QuantizationAnnotation())
                note.input_qspec_map[nodes[names[0]]] = self.spec
        return model

    def validate(self, model):
        pass
