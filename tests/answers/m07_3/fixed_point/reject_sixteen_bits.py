# finds: few-bits
# not: shift-of-frexp
import math


def fixed_point(multiplier):
    fraction, exponent = math.frexp(multiplier)
    return round(fraction * 2**15), 15 - exponent
