from collections import Counter

from common.env import cpu_profile
from common.profiling import computes_in_int8, kernels_among


def why_not_faster(before, after, x):
    def mine(fn):
        fn(x)
        with cpu_profile() as prof:
            fn(x)
        return kernels_among(prof.events())

    b, a = mine(before), mine(after)
    gone = Counter({k: v - a[k] for k, v in b.items() if v > a[k]})
    extra = Counter({k: v - b[k] for k, v in a.items() if v > b[k]})
    why = "int8" if any(map(computes_in_int8, a)) else "same" if b == a else "more" if b <= a else "other"
    return {"gone": gone, "extra": extra, "why": why}
