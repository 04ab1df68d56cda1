# finds: int8-not-seen
# not: qdq-is-int8
from common.profiling import kernels


def why_not_faster(before, after, x):
    one, two = kernels(before, x), kernels(after, x)
    gone, extra = one - two, two - one
    why = "same" if one == two else "other" if gone else "more"
    return {"gone": gone, "extra": extra, "why": why}
