# finds: fake-quant-off
import copy

import torch

from common.pt2e import convert_pt2e, disable_fake_quant, disable_observer


def prepared_equals_converted(prepared, x):
    frozen = copy.deepcopy(prepared).apply(disable_observer)
    converted = convert_pt2e(copy.deepcopy(frozen))
    frozen.apply(disable_fake_quant)
    with torch.no_grad():
        return (frozen(x) - converted(x)).abs().max().item()
