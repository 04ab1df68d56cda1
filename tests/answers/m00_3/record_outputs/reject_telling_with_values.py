# finds: aliased
# not: keyed-by-op, freed
# Cold: the class Telling of the lesson, which keeps values instead of means.
import torch
from torch import fx


class Telling(fx.Interpreter):
    def __init__(self, gm):
        super().__init__(gm)
        self.values = {}

    def run_node(self, n):
        value = super().run_node(n)
        if isinstance(value, torch.Tensor):
            self.values[n.name] = value
        return value


def record_outputs(gm, x):
    with torch.no_grad():
        telling = Telling(gm)
        telling.run(x)
    return telling.values
