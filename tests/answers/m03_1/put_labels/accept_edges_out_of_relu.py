# Labelling every edge out of the relu reaches the same consumers as its output label, through one observer.
from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation


def note_of(node):
    return node.meta.setdefault(ANNOTATION_KEY, QuantizationAnnotation())


def put_labels(gm, name, spec):
    conv = next(n for n in gm.graph.nodes if str(n) == name)
    note_of(conv).input_qspec_map[conv.args[0]] = spec
    relu = next(iter(conv.users))
    for user in relu.users:
        note_of(user).input_qspec_map[relu] = spec
