import math


def fixed_point(multiplier):
    fraction, exponent = math.frexp(multiplier)
    m, shift = round(fraction * 2**31), 31 - exponent
    return (2**30, shift - 1) if m == 2**31 else (m, shift)
