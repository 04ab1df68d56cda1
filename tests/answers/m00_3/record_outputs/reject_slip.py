# finds: raised
# not: not-a-tensor, run-node-returns-nothing
from torch import fx


def record_outputs(gm, x):
    found = {}

    class R(fx.Interpreter):
        def run_node(self, n):
            v = super().run_node(n)
            if n.op == "call_function":
                found[n.name] = v.clon()
            return v

    R(gm).run(x)
    return found
