def leave_out(quantizer, module_type):
    quantizer.set_module_type(module_type, None)
    return quantizer
