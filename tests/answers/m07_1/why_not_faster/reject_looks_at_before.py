# finds: int8-not-seen
from common.profiling import computes_in_int8, kernels


def why_not_faster(before, after, x):
    one, two = kernels(before, x), kernels(after, x)
    gone, extra = one - two, two - one
    why = "same" if one == two else "other" if gone else "more"
    if any(computes_in_int8(name) for name in one):
        why = "int8"
    return {"gone": gone, "extra": extra, "why": why}
