# finds: half, quarter
# not: all-codes
def codes_used():
    return [256, 256, 256]
