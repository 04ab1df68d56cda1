# finds: symmetric
# not: unsigned
def qparams_from_range(lo, hi):
    return max(max(abs(lo), abs(hi)) / 127.5, 2**-12), 0
