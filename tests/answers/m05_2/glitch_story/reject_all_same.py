# finds: never-forgets, more-data, starts-with-it, not-rare-enough
# not: rare-enough, a-hundredth
def glitch_story():
    return ["same"] * 6
