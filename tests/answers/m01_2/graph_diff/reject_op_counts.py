# finds: counts
from common.graph_utils import op_counts


def graph_diff(before, after):
    old, new = op_counts(before), op_counts(after)
    return {"added": set(new - old), "removed": set(old - new), "rewired": set()}
