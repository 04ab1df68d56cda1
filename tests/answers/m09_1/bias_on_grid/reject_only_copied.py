# finds: unchanged
# not: given-changed
import copy


def bias_on_grid(qdq):
    return copy.deepcopy(qdq)
