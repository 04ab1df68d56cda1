# finds: form
def why_conv_stays(gm):
    return {"op", "weight", "output"}
