# finds: not-whole
import math


def fixed_point(multiplier):
    fraction, exponent = math.frexp(multiplier)
    return fraction, -exponent
