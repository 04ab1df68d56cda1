# finds: quant-in-name, prepack
# not: one-library
def is_int8_kernel(names):
    return ["quantized" in n or "onednn::q" in n or n == "aten::_int_mm" for n in names]
