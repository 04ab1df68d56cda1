# finds: copy-passed-on
# not: aliased
import torch
from torch import fx


def record_outputs(gm, x):
    found = {}

    class R(fx.Interpreter):
        def run_node(self, n):
            v = super().run_node(n)
            if n.op == "call_function" and isinstance(v, torch.Tensor):
                found[n.name] = v.clone()
                return v.clone()
            return v

    with torch.no_grad():
        R(gm).run(x)
    return found
