# finds: int8-not-seen
from common.profiling import kernels


def why_not_faster(before, after, x):
    b, a = kernels(before, x), kernels(after, x)
    gone, extra = b - a, a - b
    why = (
        "int8"
        if any("int8" in k or "quantized" in k for k in a)
        else "same"
        if a == b
        else "more"
        if not gone
        else "other"
    )
    return {"gone": gone, "extra": extra, "why": why}
