# An AttributeError that is not about a type given as text.
# finds: raised
# not: type-as-text
def leave_out(quantizer, module_type):
    return quantizer.set_type(module_type, None)
