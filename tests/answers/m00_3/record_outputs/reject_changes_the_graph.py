# finds: graph-changed
import torch
from torch import fx


def record_outputs(gm, x):
    graph, clones = gm.graph, {}
    for node in list(graph.nodes):
        if node.op == "call_function" and isinstance(node.meta.get("val"), torch.Tensor):
            with graph.inserting_after(node):
                clones[node.name] = graph.call_function(torch.clone, (node,))
    graph.erase_node(next(n for n in graph.nodes if n.op == "output"))
    graph.output(tuple(clones.values()))
    graph.set_codegen(fx.graph.CodeGen())
    gm.recompile()
    return dict(zip(clones, gm(x)))
