# finds: from-the-grid-point
def steps_until_move():
    return 13
