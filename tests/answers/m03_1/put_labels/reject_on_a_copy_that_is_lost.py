# Labels a copy, and returns nothing.
# finds: on-a-copy
# not: no-label
import copy

from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation


def put_labels(gm, name, spec):
    gm = copy.deepcopy(gm)
    conv = next(n for n in gm.graph.nodes if n.name == name)
    (relu,) = conv.users
    conv.meta[ANNOTATION_KEY] = QuantizationAnnotation(input_qspec_map={conv.args[0]: spec})
    relu.meta[ANNOTATION_KEY] = QuantizationAnnotation(output_qspec=spec)
