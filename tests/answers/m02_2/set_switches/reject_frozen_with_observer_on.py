# finds: observer-left-on
from common.pt2e import disable_fake_quant, enable_fake_quant, enable_observer


def set_switches(model, phase):
    model.apply(enable_observer)
    model.apply(enable_fake_quant if phase in ("train", "freeze") else disable_fake_quant)
