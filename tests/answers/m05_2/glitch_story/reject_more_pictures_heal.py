# finds: more-data
# not: never-forgets
def glitch_story():
    return ["wider", "same", "wider", "same", "same", "wider"]
