# Groups first; qparams stay tensors.
from collections import defaultdict

from common.graph_utils import is_observer, module_of


def observer_table(prepared):
    nodes = [n for n in prepared.graph.nodes if is_observer(module_of(prepared, n))]
    groups = defaultdict(list)
    for node in nodes:
        groups[id(module_of(prepared, node))].append(node.all_input_nodes[0].name)
    table = {}
    for node in nodes:
        observer = module_of(prepared, node)
        scale, zero = observer.calculate_qparams()
        name = str(node.args[0])
        others = list(groups[id(observer)])
        others.remove(name)
        table[name] = dict(
            kind=observer.__class__.__name__, scale=scale, zero_point=zero, readers=len(list(node.users)), shares_with=others
        )
    return table
