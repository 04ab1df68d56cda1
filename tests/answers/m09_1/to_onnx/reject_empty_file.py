# finds: not-written
from pathlib import Path


def to_onnx(qdq, example, path):
    Path(path).write_bytes(b"")
