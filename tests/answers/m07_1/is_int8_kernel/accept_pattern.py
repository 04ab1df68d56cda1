import re


def is_int8_kernel(names):
    pattern = re.compile(r"(onednn|quantized)::(?!.*pack).*|aten::_int_mm")
    return [pattern.fullmatch(name) is not None for name in names]
