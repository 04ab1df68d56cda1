# finds: form
def predict_sharing(cases):
    return {i: "one" for i, _case in enumerate(cases)}
