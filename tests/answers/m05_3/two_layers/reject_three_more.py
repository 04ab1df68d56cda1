# finds: three-more
def two_layers():
    return 33
