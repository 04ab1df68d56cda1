# finds: prepack
# not: quant-in-name
def is_int8_kernel(names):
    return [n.startswith(("onednn::", "quantized::")) or n == "aten::_int_mm" for n in names]
