def glitch_story():
    return ["wider", "wider", "wider", "same", "same", "wider"]
