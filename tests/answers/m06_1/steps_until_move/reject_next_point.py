# finds: to-the-grid-point
def steps_until_move():
    return 20
