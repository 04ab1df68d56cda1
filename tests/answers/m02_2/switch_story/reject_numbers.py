# finds: form
def switch_story():
    return [0.15, 0.15, 0.15]
