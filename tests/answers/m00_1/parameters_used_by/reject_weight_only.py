# finds: some-missing
# not: inside-lists
def parameters_used_by(gm, node):
    found = [n.target for n in node.all_input_nodes if n.op == "get_attr"]
    return {n for n in found if n.endswith("weight") or n in ("top", "bottom", "scale")}
