# The labels are written one method earlier, by methods that a subclass of a subclass inherits.
from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer


class Writes(Quantizer):
    def note(self, node):
        if ANNOTATION_KEY not in node.meta:
            node.meta[ANNOTATION_KEY] = QuantizationAnnotation()
        return node.meta[ANNOTATION_KEY]

    def find(self, model, name):
        (node,) = (n for n in model.graph.nodes if n.name == name)
        return node

    def annotate(self, model):
        return model

    def validate(self, model):
        assert model is not None


class LabelQuantizer(Writes):
    def __init__(self, labels, spec):
        self.todo, self.spec = list(labels), spec

    def transform_for_annotation(self, model):
        while self.todo:
            match self.todo.pop():
                case "out", name:
                    self.note(self.find(model, name)).output_qspec = self.spec
                case "edge", producer, consumer:
                    note = self.note(self.find(model, consumer))
                    note.input_qspec_map[self.find(model, producer)] = self.spec
        return model
