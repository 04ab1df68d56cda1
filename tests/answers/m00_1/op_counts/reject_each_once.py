# finds: each-once
# not: node-names
def op_counts(gm):
    return {n.target.__name__.split(".")[0]: 1 for n in gm.graph.nodes if n.op == "call_function"}
