from common.pt2e import disable_fake_quant, disable_observer, enable_fake_quant, enable_observer


def set_switches(model, phase):
    learns = phase in ("calibrate", "train")
    rounds = phase in ("train", "freeze")
    model.apply(enable_observer if learns else disable_observer)
    model.apply(enable_fake_quant if rounds else disable_fake_quant)
