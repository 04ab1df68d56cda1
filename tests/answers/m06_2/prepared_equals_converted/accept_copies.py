import copy

import torch

from common.pt2e import convert_pt2e, disable_observer


def prepared_equals_converted(prepared, x):
    frozen = copy.deepcopy(prepared)
    frozen.apply(disable_observer)
    converted = convert_pt2e(copy.deepcopy(frozen))
    with torch.no_grad():
        return (frozen(x) - converted(x)).abs().max().item()
