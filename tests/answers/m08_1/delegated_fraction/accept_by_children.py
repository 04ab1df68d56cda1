# needs: executorch
def computes(node):
    return node.op == "call_function" and not any(w in node.name for w in ("getitem", "call_delegate", "alloc"))


def delegated_fraction(program):
    graphs = [m.original_module.graph for m in program.graph_module.children() if hasattr(m, "original_module")]
    inside = len([n for graph in graphs for n in graph.nodes if computes(n)])
    return inside / (inside + len(list(filter(computes, program.graph.nodes))))
