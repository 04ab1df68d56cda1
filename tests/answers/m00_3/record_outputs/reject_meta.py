# finds: fake-values
def record_outputs(gm, x):
    gm(x)
    return {n.name: n.meta["val"] for n in gm.graph.nodes if "val" in n.meta}
