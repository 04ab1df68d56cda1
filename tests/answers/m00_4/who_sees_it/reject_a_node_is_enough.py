# finds: nobody-reads-it
def who_sees_it():
    return ["new", "old", "new", "new", "new"]
