def dead_channels():
    half_a_step = 1 / 7 / 2
    return sum(2.0**-c < half_a_step for c in range(8))
