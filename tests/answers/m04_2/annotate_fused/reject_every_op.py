# finds: every-op
# not: between
from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation


def group_at(node, pattern):
    if node.target != pattern[0]:
        return None
    group = [node]
    for target in pattern[1:]:
        if len(group[-1].users) != 1:
            return None
        reader = next(iter(group[-1].users))
        if reader.target != target:
            return None
        group.append(reader)
    return group


def annotate_fused(gm, patterns, spec):
    used = set()
    for node in gm.graph.nodes:
        if node.op == "call_function" and not any(group_at(n, p) for p in patterns for n in (node, *node.all_input_nodes)):
            node.meta[ANNOTATION_KEY] = QuantizationAnnotation(output_qspec=spec)
    for node in gm.graph.nodes:
        for pattern in sorted(patterns, key=len, reverse=True):
            group = group_at(node, pattern)
            if group and used.isdisjoint(group):
                used.update(group)
                group[-1].meta[ANNOTATION_KEY] = QuantizationAnnotation(output_qspec=spec)
                break
