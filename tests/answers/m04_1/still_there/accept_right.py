def still_there():
    return [True, False, True, False, False, False]
