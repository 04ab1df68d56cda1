# Fused where one of the two nodes has a label.
# finds: either-label
from common.pt2e import ANNOTATION_KEY, SharedQuantizationSpec


def why_no_observer(gm, a, b):
    nodes = {n.name: n for n in gm.graph.nodes}
    na, nb = nodes[a], nodes[b]
    la, lb = na.meta.get(ANNOTATION_KEY), nb.meta.get(ANNOTATION_KEY)
    spec = la.output_qspec if la else None
    if spec is None and lb:
        spec = lb.input_qspec_map.get(na)
    if spec is not None:
        return "shared" if isinstance(spec, SharedQuantizationSpec) else "own"
    if lb and na in lb.input_qspec_map:
        return "none"
    if la or lb:
        return "fused"
    return "no label"
