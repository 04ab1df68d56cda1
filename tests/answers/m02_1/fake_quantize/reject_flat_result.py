# Value by value, and not brought back into shape.
# finds: flattened
import torch


def fake_quantize(x, scale, zero_point, quant_min, quant_max):
    return torch.tensor(
        [
            (max(quant_min, min(quant_max, round(v / scale) + zero_point)) - zero_point) * scale
            for v in x.flatten().tolist()
        ]
    )
