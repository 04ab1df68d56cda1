# finds: interpreter-runs-the-code, copy-of-the-code
# not: code-is-the-graph
def who_sees_it():
    return ("old", "old", "old", "old", "new")
