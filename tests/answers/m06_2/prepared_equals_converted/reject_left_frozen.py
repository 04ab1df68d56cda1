# finds: switches-changed
# not: scales-moved
import copy

import torch

from common.pt2e import convert_pt2e, disable_observer


def prepared_equals_converted(prepared, x):
    prepared.apply(disable_observer)
    converted = convert_pt2e(copy.deepcopy(prepared))
    with torch.no_grad():
        return (prepared(x) - converted(x)).abs().max().item()
