# The range that holds everything.
# finds: same-for-all
def pick_observer(candidates, batches, fresh):
    scales = {}
    for name, make in candidates.items():
        observer = make()
        for batch in batches:
            observer(batch)
        scale, _zero_point = observer.calculate_qparams()
        if scale.numel() == 1:
            scales[name] = scale.item()
    return max(scales, key=scales.get)
