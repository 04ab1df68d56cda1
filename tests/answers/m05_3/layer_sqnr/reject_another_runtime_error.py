# Shapes that do not fit, in a graph that has the same ops at the same places is not about pairs; here: nonsense of one's own.
# finds: raised
# not: by-index
def layer_sqnr(gm_a, gm_b, x):
    raise RuntimeError("the graphs do not fit")
