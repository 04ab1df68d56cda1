# max() of a dict with values as its key function gives a name; here the pair is returned.
# finds: form
def pick_observer(candidates, batches, fresh):
    return max((30.0, name) for name in candidates)
