# needs: executorch
from common.backends.xnnpack import is_op


def delegated_fraction(program):
    inside = outside = 0
    for node in program.graph.nodes:
        if "call_delegate" in node.name:
            lowered = getattr(program.graph_module, node.args[0].target)
            inside += sum(is_op(n) for n in lowered.original_module.graph.nodes)
        else:
            outside += is_op(node)
    return inside / (inside + outside)
