# finds: in-front-of-a-conv, behind-a-relu
# not: behind-a-conv
def still_there():
    return [False, False, False, False, False, False]
