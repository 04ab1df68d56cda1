# finds: only-switches-off
def set_switches(model, phase):
    pass
