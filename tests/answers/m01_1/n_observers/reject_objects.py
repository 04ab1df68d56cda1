# finds: objects
def n_observers():
    return 9
