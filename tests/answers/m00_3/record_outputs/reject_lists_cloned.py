# finds: not-a-tensor
# not: raised
import torch
from torch import fx


def record_outputs(gm, x):
    d = {}

    class R(fx.Interpreter):
        def run_node(self, n):
            v = super().run_node(n)
            if n.op == "call_function":
                d[n.name] = v.clone()
            return v

    with torch.no_grad():
        R(gm).run(x)
    return d
