# finds: only-good-ones
def size_table(files):
    rows = [(name, len(a), len(b), len(a) / len(b)) for name, (a, b) in files.items() if len(b) < len(a)]
    return sorted(rows, key=lambda row: row[3], reverse=True)
