# finds: changes-input
def fake_quantize(x, scale, zero_point, quant_min, quant_max):
    q = x.div_(scale).round_().add_(zero_point).clamp_(quant_min, quant_max)
    return scale * (q - zero_point)
