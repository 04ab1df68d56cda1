# finds: one-delegate
# needs: executorch
from common.backends.xnnpack import is_op


def delegated_fraction(program):
    inside = sum(is_op(n) for n in program.graph_module.lowered_module_0.original_module.graph.nodes)
    outside = sum(is_op(n) for n in program.graph.nodes)
    return inside / (inside + outside)
