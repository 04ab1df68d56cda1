# finds: fake-quant-learns
def switch_story():
    return ["larger", "same", "same", "same"]
