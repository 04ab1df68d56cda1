from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer, SharedQuantizationSpec


class SharedPool(Quantizer):
    def __init__(self, base, spec, targets):
        self.base, self.spec, self.targets = base, spec, targets

    def annotate(self, model):
        self.base.annotate(model)
        for node in model.graph.nodes:
            if node.op == "call_function" and node.target in self.targets:
                inputs = node.all_input_nodes
                shared = SharedQuantizationSpec((inputs[0], node))
                labels = dict.fromkeys(inputs, shared)
                labels[inputs[0]] = self.spec
                node.meta[ANNOTATION_KEY] = QuantizationAnnotation(input_qspec_map=labels, output_qspec=shared)
        return model

    def validate(self, model):
        self.base.validate(model)
