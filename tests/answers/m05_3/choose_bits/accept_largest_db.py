# Sorts all choices by the decibels of the whole, and takes the first one that fits.
import math
from itertools import product


def choose_bits(db, weights, budget):
    choices = [dict(zip(db.keys(), widths)) for widths in product(*map(list, db.values()))]
    choices.sort(key=lambda c: 10 * math.log10(sum(math.pow(10, -db[n][b] / 10) for n, b in c.items())))
    return next(c for c in choices if sum(weights[n] * b for n, b in c.items()) <= budget)
