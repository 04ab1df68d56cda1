


def predict_sharing(cases):
    out = []
    for case in cases:
        (p, s), (q, t) = case
        names = {x.name if hasattr(x, "name") else x[0].name for x in (p, q)}
        if hasattr(s, "edge_or_node") or hasattr(t, "edge_or_node"):
            out.append("one" if len(names) == 1 else "shared")
            continue
        if len(names) == 2:
            out.append("apart")
            continue
        d, e = (dict(vars(z)) for z in (s, t))
        for z in (d, e):
            z.pop("observer_or_fake_quant_ctr", None)
        keys = set(d) | set(e)
        if all(d.get(k) == e.get(k) for k in keys):
            out.append("one")
        else:
            out.append("chained" if hasattr(p, "name") or hasattr(q, "name") else "parallel")
    return out
