# finds: raised
def output_scale(qdq):
    last = list(qdq.graph.nodes)[-1]
    return last.args[1]
