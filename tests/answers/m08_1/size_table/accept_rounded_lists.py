def size_table(files):
    rows = []
    for name, pair in files.items():
        large, small = map(len, pair)
        rows.append([name, large, small, round(large / small, 2)])
    rows.sort(key=lambda row: -row[1] / row[2])
    return rows
