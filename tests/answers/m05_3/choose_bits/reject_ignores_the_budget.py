# finds: over-budget
import itertools


def choose_bits(db, weights, budget):
    best, least = None, float("inf")
    for widths in itertools.product(*db.values()):
        bits = dict(zip(db, widths, strict=True))
        used = sum(weights[name] * bits[name] for name in db)
        noise = sum(10 ** (-db[name][bits[name]] / 10) for name in db)
        if noise < least:
            best, least = bits, noise
    return best
