# finds: shortcut
import copy

from common.pt2e import prepare_pt2e


def predict_sharing(cases):
    return [prepare_pt2e(copy.deepcopy(a[0].graph.owning_module), None) for a, _b in cases]
