# finds: aliased
# The copies are made when the run is over: too late.
import torch
from torch import fx


def record_outputs(gm, x):
    runner = fx.Interpreter(gm, garbage_collect_values=False)
    runner.run(x)
    return {n.name: v.clone() for n, v in runner.env.items() if isinstance(v, torch.Tensor)}
