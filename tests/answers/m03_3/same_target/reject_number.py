# finds: number-and-overload
# not: packet-is-no-overload
def same_target():
    return [False, True, False, True, False, False]
