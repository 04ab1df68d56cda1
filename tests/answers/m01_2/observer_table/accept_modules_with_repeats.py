# named_modules with repeats, by target.
def observer_table(prepared):
    mods = dict(prepared.named_modules(remove_duplicate=False))
    rows = {}
    for n in prepared.graph.nodes:
        if n.op == "call_module" and hasattr(mods[n.target], "calculate_qparams"):
            obs = mods[n.target]
            s, z = obs.calculate_qparams()
            rows[n.args[0].name] = (obs, n, s, z)
    return {
        k: {
            "kind": type(o).__name__,
            "scale": s.reshape(-1).tolist(),
            "zero_point": z.reshape(-1).tolist(),
            "readers": len(list(n.users)),
            "shares_with": tuple(k2 for k2, r in rows.items() if r[0] is o and k2 != k),
        }
        for k, (o, n, s, z) in rows.items()
    }
