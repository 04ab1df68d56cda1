# finds: code-is-the-graph
# not: nobody-reads-it, interpreter-runs-the-code
def who_sees_it():
    return ["old", "new", "new", "new", "new"]
