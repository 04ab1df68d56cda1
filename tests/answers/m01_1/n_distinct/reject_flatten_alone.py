# finds: some-of-them
def n_distinct():
    return 10
