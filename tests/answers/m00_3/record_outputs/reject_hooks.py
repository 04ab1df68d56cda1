# finds: hooks-on-modules
def record_outputs(gm, x):
    found = {}
    handles = [
        m.register_forward_hook(lambda mod, args, out, name=name: found.setdefault(name, out.clone() if out is not None else None))
        for name, m in gm.named_modules()
    ]
    gm(x)
    for handle in handles:
        handle.remove()
    return found
