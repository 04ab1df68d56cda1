# finds: no-graph
# not: program, not-exported
import copy


def export_dynamic(model, example):
    return copy.deepcopy(model).eval()
