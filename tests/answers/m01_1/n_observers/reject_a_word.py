# finds: raised
def n_observers():
    return "twelve"
