def two_layers():
    return 27
