# finds: input-labels
# not: on-both
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
    for node in gm.graph.nodes:
        groups = [g for g in (group_at(node, p, used) for p in patterns) if g]
        if groups:
            group = max(groups, key=len)
            used.update(group)
            edges = {group[-1].args[0]: spec}
            group[-1].meta[ANNOTATION_KEY] = QuantizationAnnotation(input_qspec_map=edges, output_qspec=spec)
