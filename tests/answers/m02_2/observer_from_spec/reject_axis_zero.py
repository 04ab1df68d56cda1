# finds: loses-axis
def observer_from_spec(spec):
    kwargs = dict(dtype=spec.dtype, qscheme=spec.qscheme, quant_min=spec.quant_min, quant_max=spec.quant_max)
    if spec.ch_axis is not None:
        kwargs["ch_axis"] = 0
    return spec.observer_or_fake_quant_ctr(**kwargs)
