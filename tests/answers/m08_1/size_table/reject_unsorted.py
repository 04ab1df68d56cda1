# finds: unsorted
# not: inverted
def size_table(files):
    return [(name, len(a), len(b), len(a) / len(b)) for name, (a, b) in files.items()]
