# finds: not-rewired
# not: observer-left-in
def quantize_activation(gm, obs_node):
    obs_node.replace_all_uses_with(obs_node.args[0])
    gm.graph.erase_node(obs_node)
