# finds: pattern-by-pattern
# not: second-reader
from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation


def group_at(node, pattern, used):
    group = []
    for target in pattern:
        if node is None or node.target != target or node in used:
            return None
        group.append(node)
        node = next(iter(node.users)) if len(node.users) == 1 else None
    return group


def annotate_fused(gm, patterns, spec):
    used = set()
    for pattern in sorted(patterns, key=len, reverse=True):
        for node in gm.graph.nodes:
            group = group_at(node, pattern, used)
            if group:
                used.update(group)
                group[-1].meta[ANNOTATION_KEY] = QuantizationAnnotation(output_qspec=spec)
