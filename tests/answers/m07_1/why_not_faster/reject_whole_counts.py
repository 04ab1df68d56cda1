# finds: all-of-it
# not: names-only
from common.profiling import computes_in_int8, kernels


def why_not_faster(before, after, x):
    one, two = kernels(before, x), kernels(after, x)
    why = "int8" if any(computes_in_int8(n) for n in two) else "same" if one == two else "other" if one - two else "more"
    return {"gone": one, "extra": two, "why": why}
