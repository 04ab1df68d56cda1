# finds: one-library
# not: prepack
def is_int8_kernel(names):
    return [n.startswith("onednn::q") and not n.endswith("prepack") for n in names]
