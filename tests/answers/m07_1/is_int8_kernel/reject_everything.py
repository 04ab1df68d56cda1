# finds: plain-op, quant-in-name, prepack, conversion, backend-is-integer
def is_int8_kernel(names):
    return [True for _name in names]
