# A list instead of a tensor.
# finds: form
def fake_quantize(x, scale, zero_point, quant_min, quant_max):
    return [
        (max(quant_min, min(quant_max, round(v / scale) + zero_point)) - zero_point) * scale
        for v in x.flatten().tolist()
    ]
