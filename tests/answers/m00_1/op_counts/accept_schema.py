from collections import Counter

import torch


def op_counts(gm):
    called = (n.target for n in gm.graph.nodes if n.op == "call_function")
    return Counter(t._schema.name.split("::")[1] if isinstance(t, torch._ops.OpOverload) else t.__name__ for t in called)
