# finds: node-names
# not: text-search
import re


def find_pairs(gm, first, second):
    a, b = (str(p).split(".")[-1] for p in (first, second))
    plain = {n: re.sub(r"_\d+$", "", n.name) for n in gm.graph.nodes}
    return [
        (n.name, r.name) for n in gm.graph.nodes if plain[n] == a and len(n.users) == 1 for r in n.users if plain[r] == b
    ]
