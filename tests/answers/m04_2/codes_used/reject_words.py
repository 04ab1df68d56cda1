# finds: form
def codes_used():
    return ["all", "half", "quarter"]
