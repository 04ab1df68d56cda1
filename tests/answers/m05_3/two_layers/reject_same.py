# finds: same
def two_layers():
    return 30
