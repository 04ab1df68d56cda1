# finds: form
def classify_lowering(gm, x):
    return "integer"
