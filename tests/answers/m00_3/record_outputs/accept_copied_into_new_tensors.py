import torch
from torch import fx


def record_outputs(gm, x):
    d = {}

    class R(fx.Interpreter):
        def run_node(self, n):
            r = super().run_node(n)
            if n.op == "call_function" and torch.is_tensor(r):
                d[n.name] = torch.empty_like(r).copy_(r)
            return r

    with torch.no_grad():
        R(gm).run(x.clone())
    return d
