# finds: over-budget
import itertools


def choose_bits(db, weights, budget):
    fits = [
        dict(zip(db, c, strict=True))
        for c in itertools.product(*db.values())
        if sum(b * w for b, w in zip(c, weights.values(), strict=True)) <= budget
    ]
    return min(fits, key=lambda c: sum(10 ** (-db[n][c[n]] / 10) for n in c))
