# finds: quarter-assumed
def size_table(files):
    return [(name, len(fp32), len(fp32) // 4, 4.0) for name, (fp32, _int8) in files.items()]
