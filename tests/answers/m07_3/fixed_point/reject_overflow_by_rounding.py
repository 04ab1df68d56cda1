# finds: too-large
# not: few-bits, cuts-off
import math


def fixed_point(multiplier):
    fraction, exponent = math.frexp(multiplier)
    return round(fraction * 2**31), 31 - exponent
