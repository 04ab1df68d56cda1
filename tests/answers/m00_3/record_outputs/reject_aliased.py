# finds: aliased
from torch import fx


def record_outputs(gm, x):
    found = {}

    class Recording(fx.Interpreter):
        def run_node(self, n):
            found[n.name] = super().run_node(n)
            return found[n.name]

    Recording(gm).run(x)
    return found
