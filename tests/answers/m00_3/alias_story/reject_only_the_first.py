# finds: own-tensors
def alias_story():
    return ["overwritten", "kept", "kept", "kept"]
