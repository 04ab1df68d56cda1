# finds: other-overloads
from common.graph_utils import short


def replace_op(gm, old, new):
    for node in gm.graph.nodes:
        if node.op == "call_function" and short(node.target) == short(old):
            node.target = new
    gm.recompile()
