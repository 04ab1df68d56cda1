# finds: shortcut
import common.pt2e as pt2e
from common.graph_utils import observer_nodes


def why_no_observer(gm, a, b):
    prepared = pt2e.prepare_pt2e(gm, pt2e.get_xnnpack_quantizer()[0])
    return "own" if any(n.args[0].name == a for n, _ in observer_nodes(prepared)) else "no label"
