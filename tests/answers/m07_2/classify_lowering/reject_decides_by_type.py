# finds: decides-by-type
# needs: mkldnn
# uint8 activations work, int8 ones do not: true for conv only.
import torch

from common.graph_utils import qdq_nodes
from common.lowering import int8_ops
from common.pt2e import lower_pt2e_quantized_to_x86


def classify_lowering(gm, x):
    lowered = lower_pt2e_quantized_to_x86(gm, (x,))
    if not int8_ops(lowered):
        return "decomposed only" if qdq_nodes(lowered) else "fp32"
    unsigned = any(torch.uint8 in q.args for q in qdq_nodes(gm))
    return "int8 and runs" if unsigned else "int8 but fails"
