# finds: too-many-shared
def n_distinct():
    return 5
