# finds: loses-constructor-arguments
def observer_from_spec(spec):
    ctr = spec.observer_or_fake_quant_ctr
    kwargs = dict(dtype=spec.dtype, qscheme=spec.qscheme, quant_min=spec.quant_min, quant_max=spec.quant_max)
    if spec.ch_axis is not None:
        kwargs["ch_axis"] = spec.ch_axis
    inside = {k: v for k, v in ctr.p.keywords.items() if k == "observer"}
    return ctr.p.func(**kwargs, **inside)
