# finds: in-place-is-another-op, part-of-a-text
# not: number-and-overload
def same_target():
    return [False, True, False, False, True, True]
