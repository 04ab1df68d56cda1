# finds: uniform
def choose_bits(db, weights, budget):
    fitting = [b for b in next(iter(db.values())) if b * sum(weights.values()) <= budget]
    return dict.fromkeys(db, max(fitting))
