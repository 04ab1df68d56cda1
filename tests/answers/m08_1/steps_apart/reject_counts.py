# finds: counts-elements
def steps_apart(a, b, scale):
    return ((a - b).abs() > scale / 2).sum().item()
