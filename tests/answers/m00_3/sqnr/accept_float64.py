import math


def sqnr(ref, out):
    signal = ref.double().square().sum().item()
    noise = (ref.double() - out.double()).square().sum().item()
    return math.inf if noise == 0 else 10 * math.log10(signal / noise)
