# finds: swapped
# not: too-large
import math


def fixed_point(multiplier):
    fraction, exponent = math.frexp(multiplier)
    return 31 - exponent, round(fraction * 2**31)
