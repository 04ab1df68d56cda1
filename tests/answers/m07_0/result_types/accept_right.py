def result_types():
    return ["int8", "fp32", "fp32", "fp32", "int8", "fp32"]
