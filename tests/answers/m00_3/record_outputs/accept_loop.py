# The loop of section 2; everything is in the result, inputs and weights too.
from operator import attrgetter

import torch
from torch.fx.node import map_arg


def record_outputs(gm, x):
    env, found = {}, {}
    for node in gm.graph.nodes:
        args, kwargs = (map_arg(a, env.__getitem__) for a in (node.args, node.kwargs))
        if node.op == "placeholder":
            env[node] = x
        elif node.op == "get_attr":
            env[node] = attrgetter(node.target)(gm)
        elif node.op == "call_function":
            env[node] = node.target(*args, **kwargs)
        elif node.op == "call_module":
            env[node] = gm.get_submodule(node.target)(*args, **kwargs)
        else:
            env[node] = args[0]
        if isinstance(env[node], torch.Tensor):
            found[node.name] = env[node].clone()
    return found
