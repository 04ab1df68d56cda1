# finds: raised
# not: wrong-class, axis-for-all
def observer_from_spec(spec):
    return spec.observer_or_fake_quant_ctr(dtype=spec.dtype, quantmin=spec.quant_min, qscheme=spec.qscheme)
