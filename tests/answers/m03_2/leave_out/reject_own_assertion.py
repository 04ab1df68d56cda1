# finds: raised
# not: module-name-none
def leave_out(quantizer, module_type):
    assert module_type in quantizer.module_type_config, "there is no config for this type"
    quantizer.module_type_config[module_type] = None
    return quantizer
