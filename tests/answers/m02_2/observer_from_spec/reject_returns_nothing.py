# finds: returns-nothing
def observer_from_spec(spec):
    axis = {} if spec.ch_axis is None else {"ch_axis": spec.ch_axis}
    observer = spec.observer_or_fake_quant_ctr(
        dtype=spec.dtype, quant_min=spec.quant_min, quant_max=spec.quant_max, qscheme=spec.qscheme, **axis
    )
    observer.reset_min_max_vals()
