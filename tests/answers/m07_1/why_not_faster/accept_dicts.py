from common.profiling import computes_in_int8, kernels


def why_not_faster(before, after, x):
    one, two = dict(kernels(before, x)), dict(kernels(after, x))
    change = {name: two.get(name, 0) - one.get(name, 0) for name in {*one, *two}}
    gone = {name: -n for name, n in change.items() if n < 0}
    extra = {name: n for name, n in change.items() if n > 0}
    words = [("int8", any(map(computes_in_int8, two))), ("same", one == two), ("more", not gone), ("other", True)]
    return {"gone": gone, "extra": extra, "why": next(word for word, fits in words if fits)}
