# finds: qdq-is-fp32
from common.lowering import int8_ops
from common.pt2e import lower_pt2e_quantized_to_x86


def classify_lowering(gm, x):
    lowered = lower_pt2e_quantized_to_x86(gm, (x,))
    if not int8_ops(lowered):
        return "fp32"
    try:
        lowered(x)
    except Exception:
        return "int8 but fails"
    return "int8 and runs"
