# finds: cut-off
def steps_apart(a, b, scale):
    return ((a - b).abs() // scale).max().item()
