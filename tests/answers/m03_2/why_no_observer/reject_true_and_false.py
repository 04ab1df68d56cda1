# finds: form
from common.pt2e import ANNOTATION_KEY, SharedQuantizationSpec


def why_no_observer(gm, a, b):
    found = {n.name: n for n in gm.graph.nodes}
    a_label, b_label = found[a].meta.get(ANNOTATION_KEY), found[b].meta.get(ANNOTATION_KEY)
    entries = b_label.input_qspec_map if b_label else {}
    spec = (a_label.output_qspec if a_label else None) or entries.get(found[a])
    if spec is not None:
        return "shared" if isinstance(spec, SharedQuantizationSpec) else "own"
    if found[a] in entries:
        return False
    return "fused" if a_label and b_label else "no label"
