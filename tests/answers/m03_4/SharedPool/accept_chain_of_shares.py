from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer, SharedQuantizationSpec


class SharedPool(Quantizer):
    def __init__(self, base, spec, targets):
        self.base, self.spec, self.targets = base, spec, targets

    def annotate(self, model):
        self.base.annotate(model)
        for node in model.graph.nodes:
            if node.target not in self.targets:
                continue
            place, spec, labels = None, self.spec, {}
            for each in node.all_input_nodes:  # each input shares with the one before it
                labels[each] = spec
                place = (each, node)
                spec = SharedQuantizationSpec(place)
            node.meta[ANNOTATION_KEY] = QuantizationAnnotation(labels, spec)
        return model

    def validate(self, model):
        self.base.validate(model)
