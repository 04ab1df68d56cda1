# finds: form
def is_int8_kernel(names):
    return [n for n in names if n.startswith(("onednn::q", "quantized::"))]
