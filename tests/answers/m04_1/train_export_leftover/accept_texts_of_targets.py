def train_export_leftover(gm):
    names = []
    for node in gm.graph.nodes:
        kind = str(node.target)
        if kind.startswith("aten.add_.") and node.args[0].op == "get_attr":
            names.append(node.name)
        elif kind.endswith("dropout.default") and node.args[2]:
            names.append(node.name)
        elif kind == "aten.batch_norm.default" and node.args[5]:
            names.append(node.name)
    return set(names)
