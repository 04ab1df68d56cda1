# finds: form
from common.profiling import kernels


def why_not_faster(before, after, x):
    one, two = kernels(before, x), kernels(after, x)
    return {"gone": one - two, "extra": two - one, "why": "because it is still fp32"}
