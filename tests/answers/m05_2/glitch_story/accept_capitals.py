def glitch_story():
    return ("Wider", "wider ", "wider", "same", "SAME", "wider")
