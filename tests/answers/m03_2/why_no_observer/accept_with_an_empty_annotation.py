# A missing annotation is read as an empty one; `match` on what was found.
from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, SharedQuantizationSpec

MISSING = object()


def why_no_observer(gm, a, b):
    (p,) = gm.graph.find_nodes(op="placeholder", target=a) or [n for n in gm.graph.nodes if n.name == a]
    c = next(n for n in p.users if n.name == b)
    empty = QuantizationAnnotation()
    output = p.meta.get(ANNOTATION_KEY, empty).output_qspec
    entry = c.meta.get(ANNOTATION_KEY, empty).input_qspec_map.get(p, MISSING)
    decides = entry if output is None else output
    match decides:
        case SharedQuantizationSpec():
            return "shared"
        case None:
            return "none"
        case _ if decides is not MISSING:
            return "own"
    return "fused" if all(ANNOTATION_KEY in n.meta for n in (p, c)) else "no label"
