# finds: cuts-off
# not: float32
import math


def fixed_point(multiplier):
    shift = 31 - math.frexp(multiplier)[1]
    m = math.ceil(multiplier * 2**shift)
    if m == 2**31:
        m //= 2
        shift -= 1
    return m, shift
