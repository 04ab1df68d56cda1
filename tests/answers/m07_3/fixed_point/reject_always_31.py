# finds: few-bits, too-large
def fixed_point(multiplier):
    return round(multiplier * 2**31), 31
