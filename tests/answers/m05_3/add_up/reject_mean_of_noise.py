# finds: mean-of-noise
import math


def add_up(dbs):
    noise = sum(10 ** (-db / 10) for db in dbs) / len(dbs)
    return math.inf if noise == 0 else -10 * math.log10(noise)
