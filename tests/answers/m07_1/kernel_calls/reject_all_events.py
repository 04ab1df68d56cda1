# finds: counts-wrappers
from collections import Counter

from common.env import cpu_profile


def kernel_calls(fn, x):
    fn(x)
    with cpu_profile() as prof:
        fn(x)
    return Counter(e.name for e in prof.events())
