# finds: not-called
def observer_from_spec(spec):
    axis = {} if spec.ch_axis is None else {"ch_axis": spec.ch_axis}
    return spec.observer_or_fake_quant_ctr.with_args(
        dtype=spec.dtype, quant_min=spec.quant_min, quant_max=spec.quant_max, qscheme=spec.qscheme, **axis
    )
