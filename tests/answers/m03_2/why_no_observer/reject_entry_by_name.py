# Looks the producer up by its name, and the keys are nodes.
# finds: edge-label-missed
from common.pt2e import ANNOTATION_KEY, SharedQuantizationSpec


def why_no_observer(gm, a, b):
    nodes = {n.name: n for n in gm.graph.nodes}
    la, lb = nodes[a].meta.get(ANNOTATION_KEY), nodes[b].meta.get(ANNOTATION_KEY)
    spec = la.output_qspec if la else None
    if spec is None and lb:
        spec = lb.input_qspec_map.get(a)
    if spec is not None:
        return "shared" if isinstance(spec, SharedQuantizationSpec) else "own"
    if lb and a in lb.input_qspec_map:
        return "none"
    if la and lb:
        return "fused"
    return "no label"
