# Adds one error after the other; from the largest noise on.
import math


def add_up(dbs):
    finite = sorted(db for db in dbs if db != math.inf)
    if not finite:
        return math.inf
    together = finite[0]
    for db in finite[1:]:
        together -= 10 * math.log10(1 + 10 ** ((together - db) / 10))
    return together
