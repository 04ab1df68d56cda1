# finds: form


def predict_sharing(cases):
    return "one"
