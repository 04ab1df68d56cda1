# finds: form
def dead_channels():
    return 0.5
