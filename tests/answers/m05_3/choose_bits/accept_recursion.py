# Goes through the layers one after the other, with the room that is left.
import math


def choose_bits(db, weights, budget):
    names = list(db)

    def rest(i, room):
        if i == len(names):
            return 0.0, {}
        found = (math.inf, None)
        for bits, value in db[names[i]].items():
            needed = bits * weights[names[i]]
            if needed <= room:
                noise, others = rest(i + 1, room - needed)
                if others is not None and noise + 10 ** (-value / 10) < found[0]:
                    found = (noise + 10 ** (-value / 10), {names[i]: bits, **others})
        return found

    return rest(0, budget)[1]
