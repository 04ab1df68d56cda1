# The places are found before annotate is called, and the base labels the graph last.
from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer, SharedQuantizationSpec


class SharedPool(Quantizer):
    def __init__(self, base, spec, targets):
        self.base, self.spec, self.targets = base, spec, set(targets)

    def transform_for_annotation(self, model):
        self.nodes = [n for n in model.graph.nodes if n.target in self.targets]
        return model

    def annotate(self, model):
        for node in reversed(self.nodes):
            note = node.meta.setdefault(ANNOTATION_KEY, QuantizationAnnotation())
            first, *others = node.all_input_nodes
            note.input_qspec_map[first] = self.spec
            for other in others:
                note.input_qspec_map[other] = SharedQuantizationSpec((first, node))
            note.output_qspec = SharedQuantizationSpec((first, node))
        self.base.annotate(model)

    def validate(self, model):
        pass
