# Takes nodes whose name begins with activation_post_process.
# finds: by-name
def observer_table(prepared):
    mods = dict(prepared.named_modules(remove_duplicate=False))
    rows = {}
    for n in prepared.graph.nodes:
        if n.name.startswith("activation_post_process"):
            obs = mods[n.target]
            s, z = obs.calculate_qparams()
            rows[n.args[0].name] = (obs, n, s, z)
    return {
        k: {
            "kind": type(o).__name__,
            "scale": s.reshape(-1).tolist(),
            "zero_point": z.reshape(-1).tolist(),
            "readers": len(n.users),
            "shares_with": [k2 for k2, r in rows.items() if r[0] is o and k2 != k],
        }
        for k, (o, n, s, z) in rows.items()
    }
