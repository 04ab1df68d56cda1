# Shares with the output of the first producer where that has a label, else labels the edge itself.
from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer, SharedQuantizationSpec


class SharedPool(Quantizer):
    def __init__(self, base, spec, targets):
        self.base, self.spec, self.targets = base, spec, targets

    def annotate(self, model):
        model = self.base.annotate(model) or model
        for target in self.targets:
            for node in model.graph.find_nodes(op="call_function", target=target):
                self.label(node)
        return model

    def label(self, node):
        first, *others = node.all_input_nodes
        before = first.meta.get(ANNOTATION_KEY)
        note = QuantizationAnnotation()
        note.input_qspec_map[first] = self.spec
        if before and before.output_qspec:
            note.input_qspec_map[first] = SharedQuantizationSpec(first)
        for other in others:
            note.input_qspec_map[other] = SharedQuantizationSpec((first, node))
        note.output_qspec = SharedQuantizationSpec((first, node))
        node.meta[ANNOTATION_KEY] = note

    def validate(self, model):
        pass
