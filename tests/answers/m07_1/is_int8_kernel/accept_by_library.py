def is_int8_kernel(names):
    found = []
    for name in names:
        library, op = name.split("::")
        found.append(name == "aten::_int_mm" or (library in ("onednn", "quantized") and "pack" not in op))
    return found
