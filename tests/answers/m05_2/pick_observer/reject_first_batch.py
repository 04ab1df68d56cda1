# finds: one-batch
# not: measured-on-calibration
import torch

from common.graph_utils import sqnr


def _grid(x, s, z):
    return torch.fake_quantize_per_tensor_affine(x, s.item(), int(z), -128, 127)


def pick_observer(candidates, batches, fresh):
    quality = {}
    for name, make in candidates.items():
        observer = make()
        observer(batches[0])
        s, z = observer.calculate_qparams()
        if s.numel() > 1:
            continue
        quality[name] = sqnr(fresh, _grid(fresh, s, z))
    return max(quality, key=quality.get)
