# The smallest sum of squared errors is the largest SQNR, as the signal is the same for all.
def pick_observer(candidates, batches, fresh):
    error = {}
    for name in candidates:
        observer = candidates[name]()
        for batch in batches:
            observer(batch)
        s, z = observer.calculate_qparams()
        if s.shape not in ((), (1,)):
            continue
        q = ((fresh / s).round() + z).clamp(-128, 127)
        error[name] = (fresh - (q - z) * s).square().sum().item()
    return min(error, key=error.get)
