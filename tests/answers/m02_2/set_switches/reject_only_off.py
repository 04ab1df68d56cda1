# finds: only-switches-off
from common.pt2e import disable_fake_quant, disable_observer


def set_switches(model, phase):
    if phase in ("freeze", "off"):
        model.apply(disable_observer)
    if phase in ("calibrate", "off"):
        model.apply(disable_fake_quant)
