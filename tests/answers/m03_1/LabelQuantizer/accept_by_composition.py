# A function that makes a quantizer is as good as a class.
from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, Quantizer


def LabelQuantizer(labels, spec):
    class Maker(Quantizer):
        def annotate(self, model):
            nodes = {str(n): n for n in model.graph.nodes}
            for label in sorted(labels, key=len):
                old = nodes[label[-1]].meta.get(ANNOTATION_KEY) or QuantizationAnnotation()
                inputs = dict(old.input_qspec_map)
                if len(label) == 3:
                    inputs[nodes[label[1]]] = spec
                output = spec if label[0] == "out" else old.output_qspec
                nodes[label[-1]].meta[ANNOTATION_KEY] = QuantizationAnnotation(inputs, output, _annotated=True)
            return model

        def validate(self, model):
            pass

    return Maker()
