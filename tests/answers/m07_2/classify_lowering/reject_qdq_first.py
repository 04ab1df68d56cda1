# finds: looks-at-qdq-only
# needs: mkldnn
from common.graph_utils import qdq_nodes
from common.lowering import int8_ops
from common.pt2e import lower_pt2e_quantized_to_x86


def classify_lowering(gm, x):
    lowered = lower_pt2e_quantized_to_x86(gm, (x,))
    if qdq_nodes(lowered):
        return "decomposed only"
    if not int8_ops(lowered):
        return "fp32"
    try:
        lowered(x)
    except Exception:
        return "int8 but fails"
    return "int8 and runs"
