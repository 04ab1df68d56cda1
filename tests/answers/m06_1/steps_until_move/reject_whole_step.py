# finds: a-whole-step
def steps_until_move():
    return 25
