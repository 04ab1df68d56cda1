# finds: shortcut
from common import pt2e


def build_manual(gm, make_act, make_weight):
    quantizer, _ = pt2e.get_xnnpack_quantizer()
    return getattr(pt2e, "prepare_pt2e")(gm, quantizer)
