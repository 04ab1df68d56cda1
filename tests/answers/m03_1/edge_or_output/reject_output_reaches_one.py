# finds: output-reaches-one
def edge_or_output():
    return [["observed", "plain", 1], ["observed", "plain", 1], ["observed", "observed", 1], ["observed", "observed", 1]]
