# finds: own-tensors
# not: last-writer
def alias_story():
    return ["kept", "kept", "kept", "kept"]
