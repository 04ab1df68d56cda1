# finds: by-module
# not: node-names, follows-activations
def parameters_used_by(gm, node):
    stack = list(node.meta.get("nn_module_stack", {}).values())
    path = stack[-1][0]
    if not path:
        return set()
    module = gm.get_submodule(path)
    names = [name for name, _ in module.named_parameters(recurse=False)]
    names += [name for name, _ in module.named_buffers(recurse=False)]
    return {f"{path}.{name}" for name in names}
