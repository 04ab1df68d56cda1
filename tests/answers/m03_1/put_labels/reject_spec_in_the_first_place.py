# QuantizationAnnotation(spec).
# finds: spec-as-map
# not: raised

from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation


def put_labels(gm, name, spec):
    conv = next(n for n in gm.graph.nodes if n.name == name)
    (relu,) = conv.users
    conv.meta[ANNOTATION_KEY] = QuantizationAnnotation({conv.args[0]: spec})
    relu.meta[ANNOTATION_KEY] = QuantizationAnnotation(spec)
