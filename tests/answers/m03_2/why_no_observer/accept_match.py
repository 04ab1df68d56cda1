# Match on the spec that decides.
from common.pt2e import ANNOTATION_KEY, SharedQuantizationSpec

MISSING = object()


def why_no_observer(gm, a, b):
    def get(name):
        return next(n for n in gm.graph.nodes if n.name == name)

    A, B = get(a), get(b)
    la = A.meta.get(ANNOTATION_KEY, MISSING)
    lb = B.meta.get(ANNOTATION_KEY, MISSING)
    entry = lb.input_qspec_map.get(A, MISSING) if lb is not MISSING else MISSING
    candidates = [] if la is MISSING else [la.output_qspec]
    candidates += [] if entry is MISSING else [entry]
    decide = next((c for c in candidates if c is not None), None)
    match decide:
        case SharedQuantizationSpec():
            return "shared"
        case None:
            pass
        case _:
            return "own"
    if entry is None:
        return "none"
    if MISSING not in (la, lb):
        return "fused"
    return "no label"
