# finds: several-calls
# not: first-call
from collections import Counter

from common.env import cpu_profile
from common.profiling import MEMORY_OPS, is_op


def kernel_calls(fn, x):
    fn(x)
    with cpu_profile() as prof:
        fn(x)
        fn(x)

    def busy(event):
        return is_op(event) and event.name not in MEMORY_OPS

    def inside(event):
        return any(busy(child) or inside(child) for child in event.cpu_children)

    return Counter(e.name for e in prof.events() if busy(e) and not inside(e))
