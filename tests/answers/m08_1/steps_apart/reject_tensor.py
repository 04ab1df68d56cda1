# finds: form
def steps_apart(a, b, scale):
    return (a - b) / scale
