# finds: not-exported
# not: program
import copy

from torch import fx


def export_dynamic(model, example):
    return fx.symbolic_trace(copy.deepcopy(model).eval())
