# finds: amplitudes
def two_layers():
    return 24
