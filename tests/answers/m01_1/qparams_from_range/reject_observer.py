# finds: shortcut
import torch

from common.pt2e import MinMaxObserver


def qparams_from_range(lo, hi):
    observer = MinMaxObserver(dtype=torch.int8, quant_min=-128, quant_max=127, eps=2**-12)
    observer(torch.tensor([lo, hi]))
    return observer.calculate_qparams()
