# The name of the type for the name of a module.
# finds: module-name
def leave_out(quantizer, module_type):
    return quantizer.set_module_name(module_type.__name__, quantizer.global_config)
