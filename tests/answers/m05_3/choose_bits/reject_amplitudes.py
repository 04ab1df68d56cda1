# finds: amplitudes
import itertools


def choose_bits(db, weights, budget):
    fits = [
        dict(zip(db, c, strict=True))
        for c in itertools.product(*db.values())
        if sum(b * weights[n] for n, b in zip(db, c, strict=True)) <= budget
    ]
    return min(fits, key=lambda c: sum(10 ** (-db[n][c[n]] / 20) for n in c))
