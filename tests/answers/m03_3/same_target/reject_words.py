# finds: form
def same_target():
    return ["no", "yes", "no", "yes", "no", "yes"]
