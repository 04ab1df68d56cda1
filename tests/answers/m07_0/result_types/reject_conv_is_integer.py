# finds: ops-are-integer
# not: dequantize-is-integer
def result_types():
    return ["int8", "fp32", "int8", "int8", "int8", "fp32"]
