# finds: not-applied
def set_switches(model, phase):
    pass
