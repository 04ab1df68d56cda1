# finds: not-gone
# not: names-only
from common.profiling import computes_in_int8, kernels


def why_not_faster(before, after, x):
    b, a = kernels(before, x), kernels(after, x)
    gone, extra = b - a, a - b
    sb, sa = sum(b.values()), sum(a.values())
    why = "int8" if any(map(computes_in_int8, a)) else "same" if sa == sb else "more" if sa > sb else "other"
    return {"gone": gone, "extra": extra, "why": why}
