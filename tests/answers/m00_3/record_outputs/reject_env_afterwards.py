# finds: freed
from torch import fx


def record_outputs(gm, x):
    runner = fx.Interpreter(gm)
    runner.run(x)
    return {n.name: v for n, v in runner.env.items()}
