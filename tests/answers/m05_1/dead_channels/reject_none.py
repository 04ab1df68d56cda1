# finds: never-lost
def dead_channels():
    return 0
