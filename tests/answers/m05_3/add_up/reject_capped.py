# finds: no-noise
import math


def add_up(dbs):
    return -10 * math.log10(sum(10 ** (-db / 10) for db in dbs) + 1e-20)
