"""Is what was generated from an instructor notebook still up to date?"""

import hashlib
import json
from pathlib import Path

import nbformat
from nbformat import NotebookNode

KEY = "pt2e_kit"


def source_digest(notebook: NotebookNode) -> str:
    """Return SHA-256 over ids, types, sources and nbgrader metadata of all cells, as hex digits."""
    cells = [[c.id, c.cell_type, c.source, c.metadata.get("nbgrader")] for c in notebook.cells]
    return hashlib.sha256(json.dumps(cells, sort_keys=True).encode()).hexdigest()


def stamp(generated: NotebookNode, source: NotebookNode) -> None:
    """Write into a generated notebook which source it was made from."""
    generated.metadata[KEY] = {"source_digest": source_digest(source)}


def is_stale(source: Path, generated: Path) -> bool:
    """Whether the generated notebook is missing, or was made from another version of its source."""
    if not generated.is_file():
        return True
    stamped = nbformat.read(generated, as_version=4).metadata.get(KEY, {}).get("source_digest")
    return stamped != source_digest(nbformat.read(source, as_version=4))
