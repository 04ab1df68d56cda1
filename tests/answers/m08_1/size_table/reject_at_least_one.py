# finds: only-good-ones
def size_table(files):
    rows = [(name, len(a), len(b), max(1.0, len(a) / len(b))) for name, (a, b) in files.items()]
    return sorted(rows, key=lambda row: row[3], reverse=True)
