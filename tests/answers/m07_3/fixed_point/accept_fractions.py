from fractions import Fraction


def fixed_point(multiplier):
    exact, shift = Fraction(multiplier), 30
    while exact * 2**shift < 2**30:
        shift += 1
    while exact * Fraction(2) ** shift >= 2**31 - Fraction(1, 2):
        shift -= 1
    return round(exact * Fraction(2) ** shift), shift
