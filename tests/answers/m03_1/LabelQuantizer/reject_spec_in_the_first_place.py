# QuantizationAnnotation(spec).
# finds: spec-as-map
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
        for label in self.labels:
            if label[0] == "out":
                nodes[label[-1]].meta[ANNOTATION_KEY] = QuantizationAnnotation(self.spec)
            else:
                nodes[label[-1]].meta.setdefault(ANNOTATION_KEY, QuantizationAnnotation()).input_qspec_map[
                    nodes[label[1]]
                ] = self.spec
        return model
