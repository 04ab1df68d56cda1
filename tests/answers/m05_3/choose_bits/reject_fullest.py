# finds: fullest
import itertools


def choose_bits(db, weights, budget):
    fits = [
        dict(zip(db, c, strict=True))
        for c in itertools.product(*db.values())
        if sum(b * weights[n] for n, b in zip(db, c, strict=True)) <= budget
    ]
    return max(fits, key=lambda c: sum(c[n] * weights[n] for n in c))
