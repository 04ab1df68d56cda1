# finds: not-in-steps
def steps_apart(a, b, scale):
    return (a - b).abs().max().item()
