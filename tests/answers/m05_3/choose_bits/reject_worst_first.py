# finds: worst-first
def choose_bits(db, weights, budget):
    bits = {name: min(row) for name, row in db.items()}
    for name in sorted(db, key=lambda n: min(db[n].values())):
        for width in sorted(db[name]):
            if sum(weights[n] * b for n, b in (bits | {name: width}).items()) <= budget:
                bits[name] = width
    return bits
