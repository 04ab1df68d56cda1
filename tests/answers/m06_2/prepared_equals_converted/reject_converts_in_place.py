# finds: converted-in-place
import torch

from common.pt2e import convert_pt2e, disable_observer


def prepared_equals_converted(prepared, x):
    prepared.apply(disable_observer)
    with torch.no_grad():
        y = prepared(x)
        return (y - convert_pt2e(prepared)(x)).abs().max().item()
