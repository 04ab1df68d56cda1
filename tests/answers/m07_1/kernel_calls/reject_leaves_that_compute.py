# finds: leaves-only
# not: counts-memory
from collections import Counter

from common.env import cpu_profile
from common.profiling import MEMORY_OPS


def kernel_calls(fn, x):
    fn(x)
    with cpu_profile() as prof:
        fn(x)
    return Counter(e.name for e in prof.events() if not e.cpu_children and e.name not in MEMORY_OPS)
