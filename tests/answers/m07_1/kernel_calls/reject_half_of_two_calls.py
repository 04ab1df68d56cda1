# finds: several-calls
from collections import Counter

from common.env import cpu_profile
from common.profiling import MEMORY_OPS, is_op


def kernel_calls(fn, x):
    with cpu_profile() as prof:
        fn(x)
        fn(x)

    def busy(e):
        return any((is_op(c) and c.name not in MEMORY_OPS) or busy(c) for c in e.cpu_children)

    c = Counter(e.name for e in prof.events() if is_op(e) and e.name not in MEMORY_OPS and not busy(e))
    return {k: v // 2 for k, v in c.items() if v // 2}
