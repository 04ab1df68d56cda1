# finds: signed
import copy

import torch

from common.pt2e import convert_pt2e, disable_observer


def prepared_equals_converted(prepared, x):
    twin = copy.deepcopy(prepared)
    twin.apply(disable_observer)
    converted = convert_pt2e(copy.deepcopy(twin))
    with torch.no_grad():
        return float((twin(x) - converted(x)).max())
