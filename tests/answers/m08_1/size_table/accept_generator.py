from pathlib import Path
import tempfile


def size_table(files):
    """By way of real files."""
    with tempfile.TemporaryDirectory() as folder:
        sizes = {}
        for name, pair in files.items():
            for kind, data in zip(("fp32", "int8"), pair):
                path = Path(folder) / f"{name}.{kind}"
                path.write_bytes(data)
                sizes[name, kind] = path.stat().st_size
    table = ((n, sizes[n, "fp32"], sizes[n, "int8"], sizes[n, "fp32"] / sizes[n, "int8"]) for n in files)
    return tuple(sorted(table, key=lambda row: row[-1])[::-1])
