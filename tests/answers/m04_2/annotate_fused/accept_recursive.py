# A recursive helper and max; the annotation is made first and filled later.
from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation


def fit(node, pattern):
    if node.target != pattern[0]:
        return ()
    if len(pattern) == 1:
        return (node,)
    rest = fit(next(iter(node.users)), pattern[1:]) if len(node.users) == 1 else ()
    return (node, *rest) if rest else ()


def annotate_fused(gm, patterns, spec):
    taken = []
    for node in gm.graph.nodes:
        best = max((g for g in (fit(node, p) for p in patterns) if not any(n in taken for n in g)), key=len, default=())
        taken += best
        for member in best:
            note = member.meta.setdefault(ANNOTATION_KEY, QuantizationAnnotation())
            note._annotated = True
        if best:
            best[-1].meta[ANNOTATION_KEY].output_qspec = spec
    return gm
