from common.profiling import computes_in_int8, kernels


def why_not_faster(before, after, x):
    one, two = kernels(before, x), kernels(after, x)
    gone, extra = one - two, two - one
    if any(computes_in_int8(name) for name in two):
        why = "int8"
    elif not gone and not extra:
        why = "same"
    else:
        why = "other" if gone else "more"
    return {"gone": gone, "extra": extra, "why": why}
