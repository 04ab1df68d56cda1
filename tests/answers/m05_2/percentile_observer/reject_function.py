# finds: not-a-module
def percentile_observer(p):
    def observe(x):
        return x

    return observe
