# finds: module-name-none
def leave_out(quantizer, module_type):
    return quantizer.set_module_name(module_type.__name__, None)
