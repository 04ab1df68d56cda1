# finds: at-once
def steps_until_move():
    return 1
