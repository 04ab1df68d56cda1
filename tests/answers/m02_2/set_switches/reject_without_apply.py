# finds: not-applied
from common.pt2e import disable_fake_quant, disable_observer, enable_fake_quant, enable_observer


def set_switches(model, phase):
    (enable_observer if phase in ("calibrate", "train") else disable_observer)(model)
    (enable_fake_quant if phase in ("train", "freeze") else disable_fake_quant)(model)
