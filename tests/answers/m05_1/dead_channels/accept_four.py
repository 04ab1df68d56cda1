def dead_channels():
    return 4
