# finds: graph-changed
from common.graph_utils import splice
from common.pt2e import MinMaxObserver


def put_labels(gm, name, spec):
    conv = next(n for n in gm.graph.nodes if n.name == name)
    (relu,) = conv.users
    splice(gm, conv.args[0], MinMaxObserver(), "observer_0")
    splice(gm, relu, MinMaxObserver(), "observer_1")
    gm.recompile()
