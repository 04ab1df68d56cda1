# finds: shortcut
from common.graph_utils import splice_op


def insert_op_after(gm, node, target, args):
    new = splice_op(gm, node, target, *args)
    gm.recompile()
    return new
