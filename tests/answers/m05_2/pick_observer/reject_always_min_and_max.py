# finds: same-for-all
# not: one-batch
def pick_observer(candidates, batches, fresh):
    return next(name for name in candidates if name.startswith("min"))
