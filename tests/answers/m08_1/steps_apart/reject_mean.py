# finds: mean
def steps_apart(a, b, scale):
    return (a - b).abs().mean().item() / scale
