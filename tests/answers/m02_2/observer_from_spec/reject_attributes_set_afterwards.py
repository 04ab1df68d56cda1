# finds: wrong-scheme
# not: not-called
def observer_from_spec(spec):
    observer = spec.observer_or_fake_quant_ctr()
    observer.dtype, observer.quant_min, observer.quant_max = spec.dtype, spec.quant_min, spec.quant_max
    return observer
