# finds: mean
def add_up(dbs):
    return sum(dbs) / len(dbs)
