# finds: second-reader
# not: on-both, last-reader
from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation


def group_at(node, pattern):
    if node.target != pattern[0]:
        return None
    group = [node]
    for target in pattern[1:]:
        reader = next((u for u in group[-1].users if u.target == target), None)
        if reader is None:
            return None
        group.append(reader)
    return group


def annotate_fused(gm, patterns, spec):
    used = set()
    for node in gm.graph.nodes:
        for pattern in sorted(patterns, key=len, reverse=True):
            group = group_at(node, pattern)
            if group and used.isdisjoint(group):
                used.update(group)
                group[-1].meta[ANNOTATION_KEY] = QuantizationAnnotation(output_qspec=spec)
                break
