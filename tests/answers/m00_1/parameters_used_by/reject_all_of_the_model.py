# finds: follows-activations, some-missing
# not: node-names, activations
def parameters_used_by(gm, node):
    return {name for name, _parameter in gm.named_parameters()}
