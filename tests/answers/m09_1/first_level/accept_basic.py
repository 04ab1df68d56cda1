def first_level():
    return "basic"
