# finds: shortcut
from common.graph_utils import observer_nodes
from common.pt2e import prepare_pt2e


def annotation_table(gm, quantizer):
    prepared = prepare_pt2e(gm, quantizer)
    return {n.args[0].name: ({}, "per_channel" if "PerChannel" in type(o).__name__ else "per_tensor") for n, o in observer_nodes(prepared)}
