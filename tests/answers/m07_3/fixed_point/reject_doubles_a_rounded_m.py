# finds: few-bits
# not: float32


def fixed_point(multiplier):
    m, shift = round(multiplier * 2**10), 10
    while 0 < m < 2**30:
        m *= 2
        shift += 1
    return m, shift
