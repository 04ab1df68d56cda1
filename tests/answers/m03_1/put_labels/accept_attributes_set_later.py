# An empty annotation first, its fields afterwards; the relu is found from the other side; the graph is returned.
from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation


def put_labels(gm, name, spec):
    by_name = {n.name: n for n in gm.graph.nodes}
    conv = by_name[name]
    for node in gm.graph.nodes:
        if conv in node.all_input_nodes:
            note = QuantizationAnnotation(_annotated=True)
            note.output_qspec = spec
            node.meta[ANNOTATION_KEY] = note
    note = conv.meta.setdefault(ANNOTATION_KEY, QuantizationAnnotation())
    note.input_qspec_map[conv.all_input_nodes[0]] = spec
    return gm
