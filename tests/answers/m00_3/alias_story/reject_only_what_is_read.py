# finds: last-writer, reading
# not: own-tensors
def alias_story():
    return ("overwritten", "overwritten", "overwritten", "overwritten")
