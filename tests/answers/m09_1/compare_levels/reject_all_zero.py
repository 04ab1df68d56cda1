# finds: expects-equality
def compare_levels(path, x):
    return {"basic": 0, "extended": 0, "all": 0}
