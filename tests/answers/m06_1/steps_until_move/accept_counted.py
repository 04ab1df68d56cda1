def steps_until_move():
    w, n = 30, 0  # in hundredths; the border is at 37.5
    while w < 37.5:
        w, n = w + 1, n + 1
    return n
