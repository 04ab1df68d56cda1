# finds: same-for-all
def pick_observer(candidates, batches, fresh):
    return "histogram"
