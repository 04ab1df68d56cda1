import math


def fixed_point(multiplier):
    fraction, exponent = math.frexp(multiplier)
    return min(round(fraction * 2**31), 2**31 - 1), 31 - exponent
