# Each edge gets its new node without a helper; names of its own; the places are collected first.
def build_manual(gm, make_act, make_weight):
    graph = gm.graph
    places = []
    for n in graph.nodes:
        name = str(n.target)
        if n.op == "placeholder":
            places.append((n, make_act))
        elif "conv2d" in name:
            places.append((n.args[1], make_weight))
            after = list(n.users)
            if not (len(after) == 1 and "relu" in str(after[0].target)):
                places.append((n, make_act))
        elif "relu" in name and "conv2d" in str(n.args[0].target):
            places.append((n, make_act))
    for node, make in places:
        key = "obs_of_" + node.name
        setattr(gm, key, make())
        users = list(node.users)
        with graph.inserting_after(node):
            new = graph.call_module(key, (node,))
        for user in users:
            user.replace_input_with(node, new)
    graph.lint()
    gm.recompile()
    return gm
