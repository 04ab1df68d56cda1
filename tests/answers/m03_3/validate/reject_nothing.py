# finds: operation-not-seen, edge-not-seen, output-not-seen, half-not-seen
# not: silent
def validate(model):
    pass
