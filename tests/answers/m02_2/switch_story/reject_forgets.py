# finds: forgets
def switch_story():
    return ("larger", "same", "smaller", "larger")
