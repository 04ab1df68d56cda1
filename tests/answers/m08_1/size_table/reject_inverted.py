# finds: inverted
def size_table(files):
    rows = [(name, len(fp32), len(int8), len(int8) / len(fp32)) for name, (fp32, int8) in files.items()]
    return sorted(rows, key=lambda row: row[3])
