# finds: scales-moved
# not: converted-in-place
import copy

import torch

from common.pt2e import convert_pt2e


def prepared_equals_converted(prepared, x):
    with torch.no_grad():
        y = prepared(x)
        return (y - convert_pt2e(copy.deepcopy(prepared))(x)).abs().max().item()
