# finds: opposite
def leave_out(quantizer, module_type):
    return quantizer.set_module_type(module_type, quantizer.global_config)
