# finds: form
def alias_story():
    return [True, True, False, False]
