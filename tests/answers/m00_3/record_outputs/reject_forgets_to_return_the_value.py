# finds: run-node-returns-nothing
# not: nodes-not-values
# The next node gets None.
import torch
from torch import fx


def record_outputs(gm, x):
    found = {}

    class Recording(fx.Interpreter):
        def run_node(self, n):
            value = super().run_node(n)
            if n.op == "call_function" and isinstance(value, torch.Tensor):
                found[n.name] = value.clone()

    Recording(gm).run(x)
    return found
