# finds: form
import math


def fixed_point(multiplier):
    return round(math.frexp(multiplier)[0] * 2**31)
