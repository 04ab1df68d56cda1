# Slow and right: the graph is run once for each op, and stopped there.
import torch
from torch import fx


class Stop(Exception):
    pass


def record_outputs(gm, x):
    class UpTo(fx.Interpreter):
        def run_node(self, n):
            value = super().run_node(n)
            if n.name == self.name:
                self.value = value
                raise Stop
            return value

    found = {}
    for node in gm.graph.nodes:
        if node.op == "call_function":
            runner = UpTo(gm)
            runner.name = node.name
            try:
                runner.run(x)
            except Stop:
                found[node.name] = runner.value
    return {k: v for k, v in found.items() if isinstance(v, torch.Tensor)}
