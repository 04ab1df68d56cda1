# finds: form
def still_there():
    return ["there", "folded", "there", "folded", "folded", "folded"]
