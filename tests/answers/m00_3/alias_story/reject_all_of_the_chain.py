# finds: last-writer
def alias_story():
    return ["overwritten", "overwritten", "overwritten", "kept"]
