# No label where one of the two nodes has none.
# finds: needs-both-labels
from common.pt2e import ANNOTATION_KEY, SharedQuantizationSpec


def why_no_observer(gm, a, b):
    nodes = {n.name: n for n in gm.graph.nodes}
    na, nb = nodes[a], nodes[b]
    la, lb = na.meta.get(ANNOTATION_KEY), nb.meta.get(ANNOTATION_KEY)
    if not la or not lb:
        return "no label"
    spec = la.output_qspec or lb.input_qspec_map.get(na)
    if spec is None:
        return "fused" if lb.input_qspec_map == {} else "none"
    return "shared" if isinstance(spec, SharedQuantizationSpec) else "own"
