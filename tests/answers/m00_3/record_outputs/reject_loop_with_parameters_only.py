# finds: buffers, not-a-tensor
# not: raised
import torch
from torch import fx


def record_outputs(gm, x):
    values, rec = {}, {}
    with torch.no_grad():
        for node in gm.graph.nodes:
            args = fx.node.map_arg(node.args, lambda n: values[n])
            if node.op == "placeholder":
                values[node] = x
            elif node.op == "get_attr":
                values[node] = gm.get_parameter(node.target)
            elif node.op == "call_function":
                values[node] = node.target(*args, **node.kwargs)
                rec[node.name] = values[node].clone()
            elif node.op == "call_module":
                values[node] = gm.get_submodule(node.target)(*args)
            elif node.op == "output":
                (values[node],) = args[0]
    return rec
