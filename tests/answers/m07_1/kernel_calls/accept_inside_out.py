from collections import Counter

from common.env import cpu_profile
from common.profiling import MEMORY_OPS, is_op


def kernel_calls(fn, x):
    fn(x)
    with cpu_profile() as prof:
        fn(x)
    busy = [e for e in prof.events() if is_op(e) and e.name not in MEMORY_OPS]
    wrappers = set()
    for event in busy:
        outer = event.cpu_parent
        while outer is not None:
            wrappers.add(id(outer))
            outer = outer.cpu_parent
    return Counter(e.name for e in busy if id(e) not in wrappers)
