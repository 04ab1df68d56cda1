# finds: not-rare-enough
# not: rare-enough
def glitch_story():
    return ["wider", "wider", "wider", "same", "same", "same"]
