# finds: other-way-round
# needs: executorch
from common.backends.xnnpack import is_op


def delegated_fraction(program):
    modules = [m.original_module.graph for m in program.graph_module.children() if hasattr(m, "original_module")]
    inside = sum(is_op(n) for graph in modules for n in graph.nodes)
    outside = sum(is_op(n) for n in program.graph.nodes)
    return outside / (inside + outside)
