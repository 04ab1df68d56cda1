# finds: form
def add_up(dbs):
    return str([10 ** (-db / 10) for db in dbs])
