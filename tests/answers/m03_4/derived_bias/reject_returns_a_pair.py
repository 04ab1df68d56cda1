# finds: other-class
# not: observed


def derived_bias(node):
    return 1.0, 0
