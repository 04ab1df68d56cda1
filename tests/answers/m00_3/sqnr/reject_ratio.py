# finds: no-log
def sqnr(ref, out):
    return (ref**2).sum() / ((ref - out) ** 2).sum()
