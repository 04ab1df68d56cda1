# An Interpreter that does not call observers: in a prepared graph they hand on what they read.
import math

import torch
from torch import fx

from common.graph_utils import is_observer


class Recording(fx.Interpreter):
    def __init__(self, gm):
        super().__init__(gm)
        self.found = {}

    def call_module(self, target, args, kwargs):
        if is_observer(self.module.get_submodule(target)):
            return args[0]
        return super().call_module(target, args, kwargs)

    def run_node(self, n):
        value = super().run_node(n)
        if n.op == "call_function" and isinstance(value, torch.Tensor):
            self.found[n.name] = value.clone()
        return value


def layer_sqnr(gm_a, gm_b, x):
    records = []
    for gm in (gm_a, gm_b):
        recording = Recording(gm)
        with torch.no_grad():
            recording.run(x)
        records.append(recording.found)
    result = {}
    for name in records[0].keys() & records[1].keys():
        ref, out = (r[name].double() for r in records)
        noise = (ref - out).pow(2).sum()
        result[name] = 10 * torch.log10(ref.pow(2).sum() / noise).item() if noise > 0 else math.inf
    return result
