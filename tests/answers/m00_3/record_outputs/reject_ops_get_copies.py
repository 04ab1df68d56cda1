# finds: copy-passed-on
# not: aliased
import torch
from torch import fx


def record_outputs(gm, x):
    d = {}

    class R(fx.Interpreter):
        def call_function(self, target, args, kwargs):
            args = torch.utils._pytree.tree_map(lambda a: a.clone() if isinstance(a, torch.Tensor) else a, args)
            return super().call_function(target, args, kwargs)

        def run_node(self, n):
            v = super().run_node(n)
            if n.op == "call_function" and isinstance(v, torch.Tensor):
                d[n.name] = v
            return v

    with torch.no_grad():
        R(gm).run(x)
    return d
