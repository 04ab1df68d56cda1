# The switches are buffers; they are written in place.
def set_switches(model, phase):
    observer, fake_quant = {"calibrate": (1, 0), "train": (1, 1), "freeze": (0, 1), "off": (0, 0)}[phase]
    for name, buffer in model.named_buffers():
        if name.endswith("observer_enabled"):
            buffer.fill_(observer)
        elif name.endswith("fake_quant_enabled"):
            buffer[0] = fake_quant
