# finds: shortcut
from common.pt2e import convert_pt2e


def hand_convert(prepared):
    return convert_pt2e(prepared)
