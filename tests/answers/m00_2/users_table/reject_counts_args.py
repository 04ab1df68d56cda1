# finds: counts-args
# not: form
from torch.utils import _pytree as pytree


def users_table(gm):
    table = {n.name: [] for n in gm.graph.nodes}
    for reader in gm.graph.nodes:
        for value in pytree.tree_leaves(reader.args):
            if hasattr(value, "op"):
                table[value.name].append(reader.name)
    return table
