# .item() on the scales of all channels.
# finds: raised
# not: per-channel-activation
import torch

from common.graph_utils import sqnr


def pick_observer(candidates, batches, fresh):
    quality = {}
    for name, make in candidates.items():
        observer = make()
        for batch in batches:
            observer(batch)
        s, z = observer.calculate_qparams()
        quality[name] = sqnr(fresh, torch.fake_quantize_per_tensor_affine(fresh, s.item(), z.item(), -128, 127))
    return max(quality, key=quality.get)
