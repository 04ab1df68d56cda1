# The observers of the copy learn from x, and this is what gets converted.
# finds: observers-on
import copy

import torch

from common.pt2e import convert_pt2e


def prepared_equals_converted(prepared, x):
    twin = copy.deepcopy(prepared)
    with torch.no_grad():
        y = twin(x)
        return (y - convert_pt2e(twin)(x)).abs().max().item()
