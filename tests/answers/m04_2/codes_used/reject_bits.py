# finds: all-codes, half, quarter
def codes_used():
    return [8, 7, 6]
