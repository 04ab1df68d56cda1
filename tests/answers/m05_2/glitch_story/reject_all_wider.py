# finds: a-hundredth, rare-enough
# not: never-forgets
def glitch_story():
    return ["wider"] * 6
