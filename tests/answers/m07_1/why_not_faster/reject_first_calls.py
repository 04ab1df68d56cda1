# finds: first-call
from common.env import cpu_profile
from common.profiling import computes_in_int8, kernels_among


def why_not_faster(before, after, x):
    with cpu_profile() as first:
        before(x)
    with cpu_profile() as second:
        after(x)
    b, a = kernels_among(first.events()), kernels_among(second.events())
    why = "int8" if any(map(computes_in_int8, a)) else "same" if a == b else "more" if not b - a else "other"
    return {"gone": b - a, "extra": a - b, "why": why}
