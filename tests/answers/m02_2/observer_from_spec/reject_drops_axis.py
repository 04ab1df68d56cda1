# finds: loses-axis
def observer_from_spec(spec):
    return spec.observer_or_fake_quant_ctr(
        dtype=spec.dtype, qscheme=spec.qscheme, quant_min=spec.quant_min, quant_max=spec.quant_max
    )
