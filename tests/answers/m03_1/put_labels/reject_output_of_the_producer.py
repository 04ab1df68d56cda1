# finds: edge-as-output
from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation


def put_labels(gm, name, spec):
    conv = next(n for n in gm.graph.nodes if n.name == name)
    (relu,) = conv.users
    for node in (conv.args[0], relu):
        node.meta[ANNOTATION_KEY] = QuantizationAnnotation(output_qspec=spec)
