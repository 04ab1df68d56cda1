# finds: one-delegate
# not: getitem-counted
# needs: executorch
from common.backends.xnnpack import is_op


def delegated_fraction(program):
    modules = [m for m in program.graph_module.children() if hasattr(m, "original_module")]
    inside = sum(is_op(n) for n in modules[0].original_module.graph.nodes) if modules else 0
    outside = sum(is_op(n) for n in program.graph.nodes)
    return inside / (inside + outside)
