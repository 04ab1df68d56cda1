# Knows the observers for channels by their scheme; quantizes with the ops of a converted graph.
import copy

import torch


def pick_observer(candidates, batches, fresh):
    ops = torch.ops.quantized_decomposed
    quality = []
    for name, make in candidates.items():
        observer = copy.deepcopy(make())
        if observer.qscheme in (torch.per_channel_affine, torch.per_channel_symmetric):
            continue
        with torch.no_grad():
            for batch in batches:
                observer(batch.clone())
        s, z = observer.calculate_qparams()
        grid = (float(s), int(z), -128, 127, torch.int8)
        back = ops.dequantize_per_tensor(ops.quantize_per_tensor(fresh, *grid), *grid)
        ratio = fresh.double().pow(2).sum() / (fresh - back).double().pow(2).sum()
        quality.append((10 * torch.log10(ratio).item(), name))
    return max(quality)[1]
