# finds: swapped
def size_table(files):
    rows = [(name, len(a), len(b), len(b) / len(a)) for name, (b, a) in files.items()]
    return sorted(rows, key=lambda row: row[3], reverse=True)
