def leave_out(quantizer, module_type):
    quantizer.module_type_config = {module_type: None}
    return quantizer
