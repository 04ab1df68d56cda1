# finds: getitem-counted
# needs: executorch
from common.backends.xnnpack import is_op


def delegated_fraction(program):
    inside = sum(
        is_op(n) for m in program.graph_module.children() if hasattr(m, "original_module") for n in m.original_module.graph.nodes
    )
    outside = sum(n.op == "call_function" for n in program.graph.nodes)
    return inside / (inside + outside)
