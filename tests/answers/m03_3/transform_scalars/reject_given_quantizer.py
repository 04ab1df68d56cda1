# finds: not-transformed
# not: after-annotating
def transform_scalars(quantizer):
    return quantizer
