# needs: executorch
import operator

import torch


def delegated_fraction(program):
    higher = torch.ops.higher_order.executorch_call_delegate
    names = [n.args[0].target for n in program.graph.nodes if n.target is higher]
    ops = [
        [n for n in graph.nodes if n.op == "call_function" and n.target not in (operator.getitem, higher)]
        for graph in (program.graph, *(getattr(program.graph_module, name).original_module.graph for name in names))
    ]
    outside, inside = len(ops[0]), sum(map(len, ops[1:]))
    return torch.tensor(inside / (inside + outside), dtype=torch.float64)
