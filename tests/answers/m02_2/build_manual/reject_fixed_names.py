# finds: raised
# not: missing-output
# Right for the first net only: the names are written out, and the next net has others.
from common.graph_utils import splice


def build_manual(gm, make_act, make_weight):
    by_name = {n.name: n for n in gm.graph.nodes}
    splice(gm, by_name["x"], make_act(), "activation_post_process_0")
    splice(gm, by_name["conv_weight"], make_weight(), "activation_post_process_1")
    splice(gm, by_name["relu"], make_act(), "activation_post_process_2")
    gm.recompile()
    return gm
