# finds: never-learns, fake-quant-learns
def switch_story():
    return ["same"] * 4
