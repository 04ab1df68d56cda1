# finds: no-such-width
def choose_bits(db, weights, budget):
    return dict.fromkeys(db, budget / sum(weights.values()))
