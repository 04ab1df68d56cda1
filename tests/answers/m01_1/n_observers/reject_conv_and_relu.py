# finds: conv-and-relu
def n_observers():
    return 15
