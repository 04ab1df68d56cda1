# finds: shortcut
from common.graph_utils import node_changes as compare


def graph_diff(before, after):
    return compare(before, after)
