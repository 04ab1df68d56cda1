# finds: negative
# not: swapped
from common.profiling import computes_in_int8, kernels


def why_not_faster(before, after, x):
    one, two = kernels(before, x), kernels(after, x)
    gone, extra = one.copy(), two.copy()
    gone.subtract(two)
    extra.subtract(one)
    why = "int8" if any(computes_in_int8(n) for n in two) else "same" if one == two else "other" if one - two else "more"
    return {"gone": gone, "extra": extra, "why": why}
