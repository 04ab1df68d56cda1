def parameters_used_by(gm, node):
    result = set()
    for i in node.all_input_nodes:
        if i.op != "get_attr":
            continue
        try:
            gm.get_parameter(i.target)
        except AttributeError:
            gm.get_buffer(i.target)
        result.add(i.target)
    return result
