from collections import Counter

from common.profiling import computes_in_int8, kernels


def why_not_faster(before, after, x):
    one, two = kernels(before, x), kernels(after, x)
    both = one & two
    gone, extra = Counter(one), Counter(two)
    gone.subtract(both)
    extra.subtract(both)
    if [name for name in two.elements() if computes_in_int8(name)]:
        return dict(gone=gone, extra=extra, why="int8")
    if both == one:
        return dict(gone=gone, extra=extra, why="same" if both == two else "more")
    return dict(gone=gone, extra=extra, why="other")
