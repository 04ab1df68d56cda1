# finds: ends
def n_observers():
    return 11
