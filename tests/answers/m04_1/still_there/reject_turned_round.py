# finds: behind-a-conv, in-front-of-a-conv, behind-a-relu, behind-a-linear, second-reader, train-mode
def still_there():
    return [False, True, False, True, True, True]
