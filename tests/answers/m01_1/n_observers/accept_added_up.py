def n_observers():
    data, weights = 1, 4
    outputs = 3 + 2 + 1 + 1
    return data + weights + outputs
