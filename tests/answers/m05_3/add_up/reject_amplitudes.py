# finds: amplitudes
import math


def add_up(dbs):
    size = sum(10 ** (-db / 20) for db in dbs)
    return math.inf if size == 0 else -20 * math.log10(size)
