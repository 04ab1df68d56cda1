# finds: shortcut
from common.graph_utils import node_outputs


def record_outputs(gm, x):
    return node_outputs(gm, x)
