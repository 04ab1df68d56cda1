# needs: executorch
import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge, to_edge_transform_and_lower

import io
import tempfile
from pathlib import Path


def to_pte(qdq, example):
    """Write the file, and read it again; the shapes are said to be static explicitly."""
    with torch.no_grad():
        exported = torch.export.export(qdq, tuple(example), dynamic_shapes=tuple({} for _ in example))
    manager = to_edge_transform_and_lower({"forward": exported}, partitioner={"forward": [XnnpackPartitioner()]})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "net.pte"
        with path.open("wb") as file:
            manager.to_executorch().write_to_file(file)
        return memoryview(path.read_bytes())
