# finds: shortcut
from common.lowering import find_units


def qdq_units(gm):
    return [(u.names, u.shared) for u in find_units(gm)]
