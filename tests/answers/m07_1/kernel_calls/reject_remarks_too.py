# finds: counts-remarks
# not: counts-memory
from collections import Counter

from common.env import cpu_profile
from common.profiling import MEMORY_OPS


def kernel_calls(fn, x):
    fn(x)
    with cpu_profile() as prof:
        fn(x)

    def busy(e):
        return any(c.name not in MEMORY_OPS or busy(c) for c in e.cpu_children)

    return Counter(e.name for e in prof.events() if e.name not in MEMORY_OPS and not busy(e))
