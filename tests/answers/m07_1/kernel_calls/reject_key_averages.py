# finds: counts-wrappers
from common.env import cpu_profile


def kernel_calls(fn, x):
    fn(x)
    with cpu_profile() as prof:
        fn(x)
    return {row.key: row.count for row in prof.key_averages()}
