def alias_story():
    return ["overwritten", "overwritten", "kept", "kept"]
