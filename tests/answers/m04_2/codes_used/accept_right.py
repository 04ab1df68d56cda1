def codes_used():
    return [256, 128, 64]
