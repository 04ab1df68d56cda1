# The limits are moved by the zero point, so that it is never added.
def fake_quantize(x, scale, zero_point, quant_min, quant_max):
    steps = (x / scale).round().clamp(quant_min - zero_point, quant_max - zero_point)
    return steps * scale
