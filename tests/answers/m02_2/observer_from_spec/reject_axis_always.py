# finds: axis-for-all
def observer_from_spec(spec):
    return spec.observer_or_fake_quant_ctr(
        dtype=spec.dtype,
        quant_min=spec.quant_min,
        quant_max=spec.quant_max,
        qscheme=spec.qscheme,
        ch_axis=spec.ch_axis if spec.ch_axis is not None else 0,
    )
