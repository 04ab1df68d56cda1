import copy

import torch


def record_outputs(gm, x):
    g = copy.deepcopy(gm)

    class Spy(torch.nn.Module):
        def __init__(self, found, key):
            super().__init__()
            self.found, self.key = found, key

        def forward(self, v):
            if isinstance(v, torch.Tensor):
                self.found[self.key] = v.detach().clone()
            return v

    found = {}
    for i, n in enumerate(list(g.graph.nodes)):
        if n.op == "call_function":
            g.add_module(f"spy{i}", Spy(found, n.name))
            with g.graph.inserting_after(n):
                g.graph.call_module(f"spy{i}", (n,))
    g.recompile()
    g(x)
    return found
