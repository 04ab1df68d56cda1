# As prepare_pt2e does it, is_dynamic included.
def observer_from_spec(spec):
    axis = {"ch_axis": spec.ch_axis} if spec.ch_axis is not None else {}
    make = spec.observer_or_fake_quant_ctr.with_args(
        dtype=spec.dtype,
        qscheme=spec.qscheme,
        quant_min=spec.quant_min,
        quant_max=spec.quant_max,
        is_dynamic=spec.is_dynamic,
        **axis,
    )
    return make()
