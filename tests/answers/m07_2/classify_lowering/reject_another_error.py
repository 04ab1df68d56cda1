# finds: raised
# not: does-not-catch
# It raises a RuntimeError too, but for a reason of its own.
from common.pt2e import lower_pt2e_quantized_to_x86


def classify_lowering(gm, x):
    lowered = lower_pt2e_quantized_to_x86(gm, (x,))
    lowered(x[0])
    return "int8 and runs"
