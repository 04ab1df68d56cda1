import numpy as np


def steps_apart(a, b, scale):
    difference = np.abs(a.numpy().astype(np.float64) - b.numpy())
    return np.rint(difference.max() / scale)
