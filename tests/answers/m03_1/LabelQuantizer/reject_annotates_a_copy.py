# finds: on-a-copy
# A changed copy is returned, and prepare_pt2e does not look at what annotate returns.
import copy

from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer


class LabelQuantizer(Quantizer):
    def __init__(self, labels, spec):
        self.labels, self.spec = labels, spec

    def annotate(self, model):
        model = copy.deepcopy(model)
        nodes = {n.name: n for n in model.graph.nodes}
        for kind, *names in self.labels:
            note = nodes[names[-1]].meta.setdefault(ANNOTATION_KEY, QuantizationAnnotation())
            if kind == "out":
                note.output_qspec = self.spec
            else:
                note.input_qspec_map[nodes[names[0]]] = self.spec
        return model

    def validate(self, model):
        pass
