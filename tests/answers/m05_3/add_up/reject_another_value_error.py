# A ValueError that is not about a logarithm.
# finds: raised
# not: no-noise, form
def add_up(dbs):
    return int("zero")
