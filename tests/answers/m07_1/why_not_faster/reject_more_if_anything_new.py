# finds: not-gone
# not: same-work
from common.profiling import computes_in_int8, kernels


def why_not_faster(before, after, x):
    one, two = kernels(before, x), kernels(after, x)
    gone, extra = one - two, two - one
    why = "int8" if any(computes_in_int8(n) for n in two) else "more" if extra else "other" if gone else "same"
    return {"gone": gone, "extra": extra, "why": why}
