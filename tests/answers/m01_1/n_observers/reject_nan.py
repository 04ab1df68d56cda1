# finds: form
def n_observers():
    return float("nan")
