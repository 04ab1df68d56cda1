# finds: int8-not-seen
# not: names-only
from common.profiling import computes_in_int8, kernels


def why_not_faster(before, after, x):
    b, a = kernels(before, x), kernels(after, x)
    gone, extra = b - a, a - b
    why = "int8" if any(map(computes_in_int8, extra)) else "same" if a == b else "more" if not gone else "other"
    return {"gone": gone, "extra": extra, "why": why}
