# finds: only-some
from common.pt2e import FakeQuantizeBase


def set_switches(model, phase):
    module = next(m for m in model.modules() if isinstance(m, FakeQuantizeBase))
    module.enable_observer(phase in ("calibrate", "train"))
    module.enable_fake_quant(phase in ("train", "freeze"))
