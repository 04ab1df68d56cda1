def steps_apart(a, b, scale):
    return round((a - b).abs().max().item() / scale)
