# finds: too-large
# not: shift-of-frexp
import math


def fixed_point(multiplier):
    fraction, exponent = math.frexp(multiplier)
    return round(fraction * 2**32), 32 - exponent
