# finds: hard-coded-range
def observer_from_spec(spec):
    kwargs = dict(dtype=spec.dtype, qscheme=spec.qscheme, quant_min=-128, quant_max=127)
    if spec.ch_axis is not None:
        kwargs["ch_axis"] = spec.ch_axis
    return spec.observer_or_fake_quant_ctr(**kwargs)
