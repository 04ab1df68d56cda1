def fixed_point(multiplier):
    shift = 0
    while round(multiplier) >= 2**31:
        multiplier, shift = multiplier / 2, shift - 1
    while round(multiplier * 2) < 2**31:
        multiplier, shift = multiplier * 2, shift + 1
    return round(multiplier), shift
