# finds: greedy
# not: worst-first
def choose_bits(db, weights, budget):
    bits = {name: min(row) for name, row in db.items()}

    def used(b):
        return sum(weights[n] * b[n] for n in b)

    while True:
        gains = {}
        for name, row in db.items():
            wider = [b for b in sorted(row) if b > bits[name]]
            if wider and used(bits | {name: wider[0]}) <= budget:
                gains[name] = 10 ** (-row[bits[name]] / 10) - 10 ** (-row[wider[0]] / 10)
        if not gains:
            return bits
        name = max(gains, key=gains.get)
        bits[name] = min(b for b in db[name] if b > bits[name])
