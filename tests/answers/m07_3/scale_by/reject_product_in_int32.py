# finds: int32-product
# not: cuts-off
import torch


def scale_by(acc, m, shift):
    return (acc * m + (1 << (shift - 1))) >> shift
