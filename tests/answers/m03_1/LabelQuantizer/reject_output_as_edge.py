# finds: output-as-edge
from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer


class LabelQuantizer(Quantizer):
    def __init__(self, labels, spec):
        self.labels, self.spec = labels, spec

    def annotate(self, model):
        nodes = {n.name: n for n in model.graph.nodes}
        for kind, name, *consumer in self.labels:
            users = [u for u in nodes[name].users if u.op != "call_module"]
            reader = nodes[consumer[0]] if consumer else users[0]
            note = reader.meta.setdefault(ANNOTATION_KEY, QuantizationAnnotation())
            note.input_qspec_map[nodes[name]] = self.spec
        return model

    def validate(self, model):
        pass
