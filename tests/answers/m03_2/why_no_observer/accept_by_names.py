# Entries by the names of the producers.
from common.pt2e import ANNOTATION_KEY


def why_no_observer(gm, a, b):
    for n in gm.graph.nodes:
        if n.name == b:
            break
    ann = n.meta.get(ANNOTATION_KEY)
    entries = {p.name: s for p, s in ann.input_qspec_map.items()} if ann is not None else {}
    src = next(p for p in n.all_input_nodes if p.name == a)
    out = getattr(src.meta.get(ANNOTATION_KEY), "output_qspec", None)
    spec = out or entries.get(a)
    if spec:
        return {"SharedQuantizationSpec": "shared"}.get(type(spec).__name__, "own")
    if a in entries:
        return "none"
    return "fused" if ANNOTATION_KEY in src.meta and ann is not None else "no label"
