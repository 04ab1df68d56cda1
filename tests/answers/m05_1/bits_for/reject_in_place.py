# Quantizes the caller's weight on the way.
# finds: changes-input
from common.graph_utils import sqnr


def bits_for(w, target):
    rows = w.clone()
    for bits in range(2, 17):
        w.copy_(rows)
        for row in w:
            s = (row.abs().max() / (2 ** (bits - 1) - 1)).clamp(min=1e-9)
            row.div_(s).round_().mul_(s)
        if min(sqnr(a, b) for a, b in zip(rows, w)) >= target:
            return bits
