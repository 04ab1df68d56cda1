# finds: prepack
# not: one-library
def is_int8_kernel(names):
    beginnings = ("onednn::q", "quantized::", "aten::_int_mm")
    return [n.startswith(beginnings) and "prepack" not in n for n in names]
