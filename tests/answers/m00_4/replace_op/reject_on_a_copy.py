# finds: on-a-copy
import copy


def replace_op(gm, old, new):
    gm = copy.deepcopy(gm)
    for node in gm.graph.nodes:
        if node.target == old:
            node.target = new
    gm.recompile()
    return gm
