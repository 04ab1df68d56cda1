# finds: keyed-by-op
import torch
from torch import fx


def record_outputs(gm, x):
    found = {}

    class Recording(fx.Interpreter):
        def call_function(self, target, args, kwargs):
            value = super().call_function(target, args, kwargs)
            if isinstance(value, torch.Tensor):
                found[target.__name__] = value.clone()
            return value

    Recording(gm).run(x)
    return found
