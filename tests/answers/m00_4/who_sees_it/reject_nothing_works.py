# finds: recompile
def who_sees_it():
    return ["old", "old", "old", "old", "old"]
