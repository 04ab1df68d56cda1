# Dynamic programming over the room that is used: the best choice for each number of bits spent.
def choose_bits(db, weights, budget):
    table = {0: (0.0, {})}
    for name, row in db.items():
        new = {}
        for used, (noise, bits) in table.items():
            for width, value in row.items():
                room = used + weights[name] * width
                total = noise + 10 ** (-value / 10)
                if room <= budget and (room not in new or total < new[room][0]):
                    new[room] = (total, bits | {name: width})
        table = new
    return min(table.values(), key=lambda entry: entry[0])[1]
