# finds: worst
# not: mean
def add_up(dbs):
    return min(dbs)
