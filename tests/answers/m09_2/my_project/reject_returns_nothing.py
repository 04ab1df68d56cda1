# finds: returns-nothing
def my_project():
    print("all done")
