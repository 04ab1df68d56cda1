# finds: copy-of-the-code
# not: interpreter-runs-the-code
def who_sees_it():
    return ["old", "old", "new", "old", "new"]
