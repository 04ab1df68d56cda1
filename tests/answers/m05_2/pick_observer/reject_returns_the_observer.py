# finds: form
# not: same-for-all
def pick_observer(candidates, batches, fresh):
    observer = candidates["min and max"]()
    for batch in batches:
        observer(batch)
    return observer
