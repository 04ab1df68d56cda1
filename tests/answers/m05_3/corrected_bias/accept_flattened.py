# Channels first, everything else in one row.
def corrected_bias(layer, quantized, x):
    shift = (layer(x) - quantized(x)).detach().transpose(0, 1).flatten(1).mean(1)
    return shift if quantized.bias is None else quantized.bias.detach() + shift
