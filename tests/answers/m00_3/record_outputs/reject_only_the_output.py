# finds: only-the-output
def record_outputs(gm, x):
    return gm(x)
