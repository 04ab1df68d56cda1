# Looks only at observers that read no observer.
# finds: chained
# not: first-user-only
from common.graph_utils import observer_nodes


# skips observers that read an observer
def observed_edges(prepared):
    obs = {n for n, _ in observer_nodes(prepared)}
    found = set()
    for n in obs:
        if n.args[0] in obs:
            continue
        for u in n.users:
            if u not in obs:
                found.add((n.args[0].name, u.name))
    return found
