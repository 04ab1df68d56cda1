# finds: object-size
import sys


def size_table(files):
    rows = [(n, sys.getsizeof(a), sys.getsizeof(b), sys.getsizeof(a) / sys.getsizeof(b)) for n, (a, b) in files.items()]
    return sorted(rows, key=lambda row: row[3], reverse=True)
