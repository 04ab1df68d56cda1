import math


def two_layers():
    return 30 - 10 * math.log10(2)
