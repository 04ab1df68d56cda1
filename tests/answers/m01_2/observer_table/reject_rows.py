# finds: form
from common.graph_utils import observer_nodes


def observer_table(prepared):
    return [[n.args[0].name, type(o).__name__, *o.calculate_qparams(), len(n.users)] for n, o in observer_nodes(prepared)]
