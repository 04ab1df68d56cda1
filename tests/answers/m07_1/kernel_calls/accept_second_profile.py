from common.env import cpu_profile
from common.profiling import MEMORY_OPS, is_op


def kernel_calls(fn, x):
    for _ in range(2):
        with cpu_profile() as prof:
            fn(x)

    def inner_ops(e):
        return [d for c in e.cpu_children for d in ([c] if is_op(c) else []) + inner_ops(c)]

    names = [
        e.name
        for e in prof.events()
        if is_op(e) and e.name not in MEMORY_OPS and not [d for d in inner_ops(e) if d.name not in MEMORY_OPS]
    ]
    return {n: names.count(n) for n in set(names)}
