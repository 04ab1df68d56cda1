# finds: biases
def n_observers():
    return 16
