# finds: sum
def add_up(dbs):
    return sum(dbs)
