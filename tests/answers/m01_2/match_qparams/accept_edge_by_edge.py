# Goes through all edges of the prepared graph.
import torch.fx as fx

from common.graph_utils import observer_nodes


def match_qparams(prepared, converted):
    def flat(a):
        if isinstance(a, fx.Node):
            return [a]
        if isinstance(a, (list, tuple)):
            return [x for e in a for x in flat(e)]
        return []

    twins = {n.name: n for n in converted.graph.nodes}
    found = {o.args[0].name: [None, set()] for o, _ in observer_nodes(prepared)}
    for reader in prepared.graph.nodes:
        if reader.name not in twins:
            continue
        for old, new in zip(flat(reader.args), flat(twins[reader.name].args), strict=False):
            if old in dict(observer_nodes(prepared)):
                entry = found[old.args[0].name]
                entry[1].add(new.name)
                if "quantize_per" in str(new.args[0].target):
                    entry[0] = new.args[0].name
    return found  # lists instead of pairs
