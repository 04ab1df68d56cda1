# finds: always-learns
def switch_story():
    return ["larger", "larger", "same", "larger"]
