# finds: cut-off
# not: mean
def steps_apart(a, b, scale):
    return int((a - b).abs().max() / scale)
