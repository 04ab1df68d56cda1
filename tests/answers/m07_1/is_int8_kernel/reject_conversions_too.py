# finds: conversion
# not: quant-in-name
def is_int8_kernel(names):
    return [
        "pack" not in n and (n.startswith(("onednn::", "quantized::")) or n in ("aten::_int_mm", "aten::quantize_per_tensor", "aten::dequantize"))
        for n in names
    ]
