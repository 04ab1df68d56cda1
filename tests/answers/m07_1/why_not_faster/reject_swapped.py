# finds: swapped
# not: negative
from common.profiling import computes_in_int8, kernels


def why_not_faster(before, after, x):
    one, two = kernels(before, x), kernels(after, x)
    gone, extra = two - one, one - two
    why = "more" if gone else "same"
    if extra:
        why = "other"
    if any(computes_in_int8(name) for name in two):
        why = "int8"
    return {"gone": gone, "extra": extra, "why": why}
