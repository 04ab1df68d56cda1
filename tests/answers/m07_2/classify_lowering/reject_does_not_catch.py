# finds: does-not-catch
# needs: mkldnn
from common.graph_utils import qdq_nodes
from common.lowering import int8_ops
from common.pt2e import lower_pt2e_quantized_to_x86


def classify_lowering(gm, x):
    lowered = lower_pt2e_quantized_to_x86(gm, (x,))
    lowered(x)
    if int8_ops(lowered):
        return "int8 and runs"
    return "decomposed only" if qdq_nodes(lowered) else "fp32"
