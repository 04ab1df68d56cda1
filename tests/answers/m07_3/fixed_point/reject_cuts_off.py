# finds: cuts-off
# not: too-large
import math


def fixed_point(multiplier):
    fraction, exponent = math.frexp(multiplier)
    return int(fraction * 2**31), 31 - exponent
