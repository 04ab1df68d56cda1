# finds: form
def predict_sharing(cases):
    return ["merge" if a[1] == b[1] else "stay apart" for a, b in cases]
