# finds: no-modules-any-more
def same_target():
    return [False, True, True, True, False, True]
