# finds: raised
# not: no-smallest-scale
def qparams_from_range(lo, hi):
    steps = 127 - 127
    return (hi - lo) / steps, 0
