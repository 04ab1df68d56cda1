# finds: one-observer-each
def edge_or_output():
    return [["observed", "plain", 1], ["observed", "observed", 2], ["observed", "observed", 2], ["observed", "observed", 2]]
