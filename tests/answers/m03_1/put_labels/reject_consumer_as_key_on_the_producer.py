# finds: key-is-the-consumer
# not: no-label
# The annotation stands where prepare_pt2e looks, on the wrong node and with the wrong key; the relu is forgotten.
from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation


def put_labels(gm, name, spec):
    conv = next(n for n in gm.graph.nodes if n.name == name)
    conv.args[0].meta[ANNOTATION_KEY] = QuantizationAnnotation(input_qspec_map={conv: spec})
