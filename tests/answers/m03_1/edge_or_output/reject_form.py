# finds: form
def edge_or_output():
    return {1: "conv2d", 2: "both"}
