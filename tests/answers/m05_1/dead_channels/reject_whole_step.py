# Everything smaller than a whole step.
# finds: whole-step
def dead_channels():
    return 5
