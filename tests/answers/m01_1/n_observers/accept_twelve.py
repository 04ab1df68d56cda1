def n_observers():
    return 12
