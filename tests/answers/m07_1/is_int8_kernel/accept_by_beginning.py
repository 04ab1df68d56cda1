def is_int8_kernel(names):
    def integer(name):
        if name.endswith(("prepack", "unpack")):
            return False
        return name.startswith(("onednn::q", "quantized::")) or name == "aten::_int_mm"

    return [*map(integer, names)]
