# Asks both nodes for their annotation.
# finds: unlabelled-nodes
# not: raised
from common.pt2e import ANNOTATION_KEY, SharedQuantizationSpec


def why_no_observer(gm, a, b):
    nodes = {n.name: n for n in gm.graph.nodes}
    na, nb = nodes[a], nodes[b]
    la, lb = na.meta[ANNOTATION_KEY], nb.meta[ANNOTATION_KEY]
    spec = la.output_qspec or lb.input_qspec_map.get(na)
    if spec is not None:
        return "shared" if isinstance(spec, SharedQuantizationSpec) else "own"
    if na in lb.input_qspec_map:
        return "none"
    return "fused"
