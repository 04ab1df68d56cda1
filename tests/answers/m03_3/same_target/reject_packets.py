# finds: packet-is-no-overload
# not: overload-is-the-target
def same_target():
    return [True, True, False, True, False, True]
