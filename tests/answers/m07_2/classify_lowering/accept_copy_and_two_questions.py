import copy

from common.graph_utils import op_counts, qdq_nodes
from common.pt2e import lower_pt2e_quantized_to_x86


def runs(fn, x):
    try:
        fn(x)
    except Exception:
        return False
    return True


def classify_lowering(gm, x):
    lowered = lower_pt2e_quantized_to_x86(copy.deepcopy(gm), (x,))
    if any(name.startswith(("qconv", "qlinear")) for name in op_counts(lowered)):
        return f"int8 {'and runs' if runs(lowered, x) else 'but fails'}"
    return "decomposed only" if qdq_nodes(gm) else "fp32"
