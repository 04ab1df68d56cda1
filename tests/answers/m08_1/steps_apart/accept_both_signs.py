def steps_apart(a, b, scale):
    steps = ((a - b) / scale).flatten().tolist()
    return max(round(max(steps)), -round(min(steps)))
