# finds: sum-of-db
import itertools


def choose_bits(db, weights, budget):
    best, least = None, float("inf")
    for widths in itertools.product(*db.values()):
        bits = dict(zip(db, widths, strict=True))
        used = sum(weights[name] * bits[name] for name in db)
        noise = sum(-db[name][bits[name]] for name in db)
        if used <= budget and noise < least:
            best, least = bits, noise
    return best
