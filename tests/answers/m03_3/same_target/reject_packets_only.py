# finds: packet-is-no-overload, overload-is-the-target
def same_target():
    return [True, False, False, True, False, True]
