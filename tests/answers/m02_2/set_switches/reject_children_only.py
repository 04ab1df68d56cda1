# finds: not-applied
# Right for a flat model; fake quants deeper inside are not reached.
from common.pt2e import FakeQuantize


def set_switches(model, phase):
    for module in model.children():
        if isinstance(module, FakeQuantize):
            module.enable_observer(phase in ("calibrate", "train"))
            module.enable_fake_quant(phase in ("train", "freeze"))
