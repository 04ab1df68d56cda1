# finds: listed-once
# not: by-module, inside-lists


def parameters_used_by(gm, node):
    known = dict(gm.named_parameters()) | dict(gm.named_buffers())
    return {i.target for i in node.all_input_nodes if i.target in known}
