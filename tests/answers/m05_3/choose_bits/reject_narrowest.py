# finds: narrowest
def choose_bits(db, weights, budget):
    return {name: min(row) for name, row in db.items()}
