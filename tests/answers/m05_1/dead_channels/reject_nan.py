# finds: form
def dead_channels():
    return float("nan")
