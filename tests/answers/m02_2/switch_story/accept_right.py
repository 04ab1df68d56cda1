def switch_story():
    return ["larger", "same", "same", "larger"]
