# Writes the annotation to the node itself.
# finds: another-place

from common.pt2e import QuantizationAnnotation


def put_labels(gm, name, spec):
    conv = next(n for n in gm.graph.nodes if n.name == name)
    (relu,) = conv.users
    conv.annotation = QuantizationAnnotation(input_qspec_map={conv.args[0]: spec})
    relu.annotation = QuantizationAnnotation(output_qspec=spec)
