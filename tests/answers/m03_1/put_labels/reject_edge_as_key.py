# Takes the edge for the key.
# finds: key-of-another-type
# not: key-is-a-name

from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation


def put_labels(gm, name, spec):
    conv = next(n for n in gm.graph.nodes if n.name == name)
    (relu,) = conv.users
    conv.meta[ANNOTATION_KEY] = QuantizationAnnotation(input_qspec_map={(conv.args[0], conv): spec})
    relu.meta[ANNOTATION_KEY] = QuantizationAnnotation(output_qspec=spec)
