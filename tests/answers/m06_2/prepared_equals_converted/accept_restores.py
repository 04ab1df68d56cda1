import copy

import torch

from common.pt2e import convert_pt2e, disable_observer


# Measures the caller's graph itself, with its observers off for as long, and switches them on again.
def prepared_equals_converted(prepared, x):
    from common.pt2e import enable_observer

    were_on = [m for m in prepared.modules() if getattr(m, "observer_enabled", torch.zeros(1))[0]]
    prepared.apply(disable_observer)
    with torch.no_grad():
        y = prepared(x)
    for module in were_on:
        enable_observer(module)
    z = convert_pt2e(copy.deepcopy(prepared))(x)
    return float(max(abs(a - b) for a, b in zip(y.flatten(), z.detach().flatten(), strict=True)))
