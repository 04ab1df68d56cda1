# finds: empty
# not: hooks-on-modules
import torch
from torch import fx


def record_outputs(gm, x):
    i = fx.Interpreter(gm)
    with torch.no_grad():
        i.run(x)
    return {n.name: v.clone() for n, v in i.env.items() if isinstance(v, torch.Tensor)}
