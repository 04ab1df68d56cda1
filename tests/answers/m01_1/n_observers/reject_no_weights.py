# finds: no-weights
def n_observers():
    return 8
