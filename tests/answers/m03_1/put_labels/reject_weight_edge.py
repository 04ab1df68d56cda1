# finds: weight-edge
from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation


def put_labels(gm, name, spec):
    conv = next(n for n in gm.graph.nodes if n.name == name)
    (relu,) = conv.users
    conv.meta[ANNOTATION_KEY] = QuantizationAnnotation(input_qspec_map={conv.args[1]: spec})
    relu.meta[ANNOTATION_KEY] = QuantizationAnnotation(output_qspec=spec)
