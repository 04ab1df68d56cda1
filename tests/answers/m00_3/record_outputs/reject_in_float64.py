# finds: other-type
# not: aliased
import torch
from torch import fx


def record_outputs(gm, x):
    d = {}

    class R(fx.Interpreter):
        def run_node(self, n):
            v = super().run_node(n)
            if n.op == "call_function" and isinstance(v, torch.Tensor):
                d[n.name] = torch.tensor(v.double())
            return v

    with torch.no_grad():
        R(gm).run(x)
    return d
