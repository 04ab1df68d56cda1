# finds: shortcut
from common.profiling import kernels


def kernel_calls(fn, x):
    return kernels(fn, x)
