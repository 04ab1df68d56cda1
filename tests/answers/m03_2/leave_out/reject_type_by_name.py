# finds: type-as-text
# not: raised
def leave_out(quantizer, module_type):
    return quantizer.set_module_type("torch.nn." + module_type.__name__, None)
