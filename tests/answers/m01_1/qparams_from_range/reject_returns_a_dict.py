# finds: form
def qparams_from_range(lo, hi):
    return {"scale": (hi - lo) / 255, "zero_point": 0}
