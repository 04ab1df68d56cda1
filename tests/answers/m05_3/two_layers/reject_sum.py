# finds: sum
def two_layers():
    return 60
