# finds: only-the-output
def record_outputs(gm, x):
    last = [n for n in gm.graph.nodes if n.op == "call_function"][-1]
    return {last.name: gm(x)}
