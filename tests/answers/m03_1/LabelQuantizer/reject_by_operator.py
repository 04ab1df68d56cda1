# finds: looked-up-wrongly
# The name is compared with what the node computes: conv2d_1 is taken for the first conv2d.
from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer


class LabelQuantizer(Quantizer):
    def __init__(self, labels, spec):
        self.labels, self.spec = labels, spec

    def annotate(self, model):
        def find(name):
            for n in model.graph.nodes:
                if n.op != "call_function" and n.name == name:
                    return n
                if n.op == "call_function" and str(n.target).split(".")[1] == name.rsplit("_", 1)[0]:
                    return n
            return None

        for kind, *names in self.labels:
            node = find(names[-1]) or find(names[-1] + "_0")
            note = node.meta.setdefault(ANNOTATION_KEY, QuantizationAnnotation())
            if kind == "out":
                note.output_qspec = self.spec
            else:
                producer = find(names[0]) or find(names[0] + "_0")
                note.input_qspec_map[producer] = self.spec
        return model

    def validate(self, model):
        pass
