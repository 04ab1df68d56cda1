# finds: form


def alias_story():
    return ["Overwritten", "Overwritten", "Kept", "Kept"]
