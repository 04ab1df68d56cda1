import numpy as np


def fixed_point(multiplier):
    mant, e = np.frexp(multiplier)
    m = np.rint(mant * 2**31).astype(np.int64)
    if m == 2**31:
        m, e = m // 2, e + 1
    return m, 31 - e
