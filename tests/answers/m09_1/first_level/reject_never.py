# finds: never
def first_level():
    return "never"
