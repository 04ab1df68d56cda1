# finds: all-codes, half
def codes_used():
    return [128, 256, 64]
