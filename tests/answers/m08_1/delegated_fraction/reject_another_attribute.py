# finds: raised
# not: one-delegate
# needs: executorch
from common.backends.xnnpack import is_op


def delegated_fraction(program):
    lowered = [m for m in program.modules() if hasattr(m, "original_module")]
    return len(lowered) / (len(lowered) + 1)
