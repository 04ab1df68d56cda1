# finds: observers-on
# not: scales-moved
import copy

import torch

from common.pt2e import convert_pt2e


def prepared_equals_converted(prepared, x):
    twin = copy.deepcopy(prepared)
    with torch.no_grad():
        y = twin(x)
        return (y - convert_pt2e(copy.deepcopy(prepared))(x)).abs().max().item()
