# finds: looks-one-level-down
from collections import Counter

from common.env import cpu_profile
from common.profiling import MEMORY_OPS, is_op


def kernel_calls(fn, x):
    fn(x)
    with cpu_profile() as prof:
        fn(x)
    return Counter(
        e.name
        for e in prof.events()
        if is_op(e) and e.name not in MEMORY_OPS and all(c.name in MEMORY_OPS for c in e.cpu_children if is_op(c))
    )
