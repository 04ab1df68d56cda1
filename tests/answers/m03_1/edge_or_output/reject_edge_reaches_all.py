# finds: edge-reaches-all
def edge_or_output():
    return [["observed", "observed", 1]] * 4
