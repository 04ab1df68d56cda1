def same_target():
    return [False, True, False, True, False, True]
