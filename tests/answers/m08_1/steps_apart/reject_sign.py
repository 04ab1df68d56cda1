# finds: sign-kept
# not: cut-off
def steps_apart(a, b, scale):
    return round((b - a).max().item() / scale)
