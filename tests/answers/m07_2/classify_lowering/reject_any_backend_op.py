# finds: any-backend-op
# needs: mkldnn
from common.graph_utils import qdq_nodes
from common.pt2e import lower_pt2e_quantized_to_x86


def classify_lowering(gm, x):
    lowered = lower_pt2e_quantized_to_x86(gm, (x,))
    targets = " ".join(str(n.target) for n in lowered.graph.nodes)
    if "onednn" not in targets and "mkldnn" not in targets:
        return "decomposed only" if qdq_nodes(lowered) else "fp32"
    try:
        lowered(x)
    except Exception:
        return "int8 but fails"
    return "int8 and runs"
