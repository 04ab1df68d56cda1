# finds: file-before
# not: names
from common.backends.ort import FLOAT_OPS, INTEGER_OPS, op_types


def fused_report(path):
    counts = op_types(path)
    return {"integer": sum(counts[op] for op in INTEGER_OPS), "fp32": sum(counts[op] for op in FLOAT_OPS)}
