# finds: when-integer
def first_level():
    return "all"
