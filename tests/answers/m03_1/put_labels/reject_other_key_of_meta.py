# finds: another-place
# not: on-a-copy
from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation


def put_labels(gm, name, spec):
    conv = next(n for n in gm.graph.nodes if n.name == name)
    (relu,) = conv.users
    conv.meta["annotation"] = QuantizationAnnotation(input_qspec_map={conv.args[0]: spec})
    relu.meta["annotation"] = QuantizationAnnotation(output_qspec=spec)
