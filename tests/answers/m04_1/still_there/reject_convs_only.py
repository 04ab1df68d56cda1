# finds: behind-a-linear
def still_there():
    return [True, False, True, True, False, False]
