# Changes nothing.
# finds: unchanged
def leave_out(quantizer, module_type):
    return quantizer
