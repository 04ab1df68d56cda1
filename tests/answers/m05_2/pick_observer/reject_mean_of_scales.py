# finds: per-channel-activation
import torch

from common.graph_utils import sqnr


def pick_observer(candidates, batches, fresh):
    best, best_db = None, -float("inf")
    for name, make in candidates.items():
        o = make()
        for b in batches:
            o(b)
        s, z = o.calculate_qparams()
        db = sqnr(
            fresh, torch.fake_quantize_per_tensor_affine(fresh, s.mean().item(), int(z.float().mean()), -128, 127)
        )
        if db > best_db:
            best, best_db = name, db
    return best
