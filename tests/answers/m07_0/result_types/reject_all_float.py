# finds: weight-is-float, quantize-is-float
def result_types():
    return ("fp32",) * 6
