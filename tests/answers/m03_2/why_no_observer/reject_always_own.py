# finds: always-quantized
def why_no_observer(gm, a, b):
    return "own"
