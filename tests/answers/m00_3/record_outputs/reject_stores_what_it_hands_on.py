# finds: aliased
# not: copy-passed-on
import torch
from torch import fx


def record_outputs(gm, x):
    """returns the clone: in-place through a view no longer writes into base"""
    d = {}

    class R(fx.Interpreter):
        def run_node(self, n):
            v = super().run_node(n)
            if n.op == "call_function" and isinstance(v, torch.Tensor):
                v = v.clone()
                d[n.name] = v
            return v

    with torch.no_grad():
        R(gm).run(x)
    return d
