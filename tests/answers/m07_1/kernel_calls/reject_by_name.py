# finds: by-name
# not: counts-wrappers
from collections import Counter

from common.profiling import MEMORY_OPS, is_op, profiled


def kernel_calls(fn, x):
    events = profiled(fn, x)

    def computes(event):
        return is_op(event) and event.name not in MEMORY_OPS

    def inside(event):
        return [e for child in event.cpu_children for e in (child, *inside(child))]

    wrappers = {e.name for e in events if any(computes(i) for i in inside(e))}
    return Counter(e.name for e in events if computes(e) and e.name not in wrappers)
