# finds: all-but-one
def dead_channels():
    return 7
