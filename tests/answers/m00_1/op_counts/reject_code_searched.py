# finds: python-function
from collections import Counter


def op_counts(gm):
    import re

    return Counter(re.findall(r"torch\.ops\.aten\.(\w+)\.", gm.code))
