# finds: raised
# not: swapped
# A buffer cannot be replaced by a bool.
from common.pt2e import FakeQuantizeBase


def set_switches(model, phase):
    for module in model.modules():
        if isinstance(module, FakeQuantizeBase):
            module.observer_enabled = phase in ("calibrate", "train")
