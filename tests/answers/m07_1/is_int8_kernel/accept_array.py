import numpy as np


def is_int8_kernel(names):
    return np.array(
        [
            (n.startswith("onednn::q") or n.startswith("quantized::") or n == "aten::_int_mm") and "pack" not in n
            for n in names
        ]
    )
