# finds: half
def two_layers():
    return 15
