# finds: raised
# not: nodes-not-values
# A slip: the Interpreter is handed the graph and not the module.
from torch import fx


def record_outputs(gm, x):
    return {"conv2d": fx.Interpreter(gm.graph).run(x)}
