# finds: output-only, agree
from common.graph_utils import compare


def first_divergence(gm_a, gm_b, x, dB):
    compare(gm_a, gm_b, (x,))
    return "output"
