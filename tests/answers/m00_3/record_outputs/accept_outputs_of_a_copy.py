# No Interpreter: a copy of the graph gets a clone behind each op, and returns all of them.
import copy

import torch
from torch import fx


def record_outputs(gm, x):
    mine = copy.deepcopy(gm)
    graph, clones = mine.graph, {}
    for node in list(graph.nodes):
        if node.op == "call_function" and isinstance(node.meta.get("val"), torch.Tensor):
            with graph.inserting_after(node):
                clones[node.name] = graph.call_function(torch.clone, (node,))
    output = next(n for n in graph.nodes if n.op == "output")
    graph.erase_node(output)
    graph.output(tuple(clones.values()))
    graph.set_codegen(fx.graph.CodeGen())
    mine.recompile()
    return dict(zip(clones, mine(x)))
