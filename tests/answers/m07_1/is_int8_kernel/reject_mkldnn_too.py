# finds: backend-is-integer
# not: prepack, quant-in-name
def is_int8_kernel(names):
    return [
        n.startswith(("onednn::q", "quantized::", "mkldnn::")) and "pack" not in n or n in ("aten::_int_mm", "aten::mkldnn_convolution")
        for n in names
    ]
