# finds: another-order
# not: largest-error
import torch

from common.graph_utils import sqnr


def pick_observer(candidates, batches, fresh):
    best, best_db = None, -float("inf")
    for name, make in candidates.items():
        o = make()
        if "channel" in name.lower() or hasattr(o, "ch_axis"):
            continue
        for b in reversed(batches):
            o(b)
        s, z = o.calculate_qparams()
        if s.numel() > 1:
            continue
        db = sqnr(fresh, torch.fake_quantize_per_tensor_affine(fresh, s.item(), int(z), -128, 127))
        if db > best_db:
            best, best_db = name, db
    return best
