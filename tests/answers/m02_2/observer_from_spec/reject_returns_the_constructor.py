# finds: not-called
# not: shortcut
def observer_from_spec(spec):
    return spec.observer_or_fake_quant_ctr.with_args(dtype=spec.dtype)
