# finds: rounded-up
# not: cut-off
import math


def steps_apart(a, b, scale):
    return math.ceil((a - b).abs().max().item() / scale)
