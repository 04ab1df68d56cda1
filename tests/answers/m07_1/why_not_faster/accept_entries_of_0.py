from common.profiling import computes_in_int8, kernels


def why_not_faster(before, after, x):
    b, a = dict(kernels(before, x)), dict(kernels(after, x))
    gone, extra = {}, {}
    for k in set(b) | set(a):
        d = b.get(k, 0) - a.get(k, 0)
        gone[k] = max(d, 0)
        extra[k] = max(-d, 0)
    if list(filter(computes_in_int8, a)):
        why = "int8"
    elif not sum(gone.values()) and not sum(extra.values()):
        why = "same"
    elif sum(gone.values()) == 0:
        why = "more"
    else:
        why = "other"
    return dict(why=why, extra=extra, gone=gone)
