import math


def fixed_point(multiplier):
    shift = 30 - math.floor(math.log2(multiplier))
    m = math.floor(multiplier * 2.0**shift + 0.5)
    if m > 2**31 - 1:
        shift -= 1
        m = round(multiplier * 2.0**shift)
    return [m, shift]
