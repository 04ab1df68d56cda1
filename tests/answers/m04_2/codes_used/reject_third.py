# finds: quarter
# not: half
def codes_used():
    return [256, 128, 85]
