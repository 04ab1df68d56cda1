# finds: returns-nothing
def switch_story():
    print("larger", "same", "same", "larger")
