# finds: shift-of-frexp
import math


def fixed_point(multiplier):
    fraction, exponent = math.frexp(multiplier)
    return round(fraction * 2**31), -exponent
