# finds: second-reader, train-mode
# not: behind-a-relu
def still_there():
    return [True, False, True, False, True, True]
