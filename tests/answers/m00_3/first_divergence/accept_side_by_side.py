# Runs one graph, and looks every value up in the other one on the way.
import torch
from torch import fx

from common.graph_utils import sqnr


class Stop(Exception):
    name = None


def first_divergence(gm_a, gm_b, x, dB):
    seen = {}

    class A(fx.Interpreter):
        def run_node(self, n):
            value = super().run_node(n)
            if n.op == "call_function" and torch.is_tensor(value):
                seen[n.name] = value.clone()
            return value

    class B(fx.Interpreter):
        def run_node(self, n):
            value = super().run_node(n)
            if n.op == "call_function" and n.name in seen and sqnr(seen[n.name], value) < dB:
                stop = Stop()
                stop.name = n.name
                raise stop
            return value

    with torch.no_grad():
        A(gm_a).run(x)
        try:
            B(gm_b).run(x)
        except Stop as stop:
            return stop.name
    return None
