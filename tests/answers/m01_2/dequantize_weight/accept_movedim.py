# The axis is moved to the end, where broadcasting finds it. The constants are read from the state_dict.
def dequantize_weight(gm, name):
    state = gm.state_dict()
    node = [n for n in gm.graph.nodes if n.name == name][0]
    constant, scale, zero, *rest = node.all_input_nodes[1].args
    weight = state[constant.target].int()
    if isinstance(scale, float):
        return (weight - zero) * scale
    axis = rest[0]
    return ((weight.movedim(axis, -1) - state[zero.target]) * state[scale.target]).movedim(-1, axis)
