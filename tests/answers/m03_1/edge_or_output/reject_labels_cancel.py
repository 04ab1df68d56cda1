# finds: labels-cancel
def edge_or_output():
    return [["observed", "plain", 1], ["observed", "observed", 1], ["plain", "observed", 1], ["observed", "plain", 1]]
