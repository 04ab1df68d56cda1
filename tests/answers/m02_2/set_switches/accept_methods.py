from common.pt2e import FakeQuantizeBase

TABLE = {"calibrate": (1, 0), "train": (1, 1), "freeze": (0, 1), "off": (0, 0)}


def set_switches(model, phase):
    for module in model.modules():
        if isinstance(module, FakeQuantizeBase):
            module.enable_observer(bool(TABLE[phase][0]))
            module.enable_fake_quant(bool(TABLE[phase][1]))
    return model
