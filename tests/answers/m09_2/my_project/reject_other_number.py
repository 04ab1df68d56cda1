# finds: other-number
# not: half-the-db
import tempfile
from pathlib import Path

import torch
from torch import nn

from common.backends.ort import write_onnx
from common.pt2e import convert_pt2e, export_module, get_xnnpack_quantizer, prepare_pt2e

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(12, 20), nn.ReLU(), nn.Linear(20, 11), nn.ReLU(), nn.Linear(11, 3)).eval()
inputs = torch.randn(80, 12)
folder = Path(tempfile.mkdtemp())


def quantized(model, *batches):
    prepared = prepare_pt2e(export_module(model, (inputs[:2],)), get_xnnpack_quantizer()[0])
    with torch.no_grad():
        for batch in batches:
            prepared(batch)
    return convert_pt2e(prepared)


fp32 = export_module(net, (inputs[:2],))
qdq = quantized(net, torch.randn(100, 12), torch.randn(100, 12))
write_onnx(fp32, (inputs[:2],), folder / "fp32.onnx")
write_onnx(qdq, (inputs[:2],), folder / "qdq.onnx")
with torch.no_grad():
    db = 60.0


def my_project():
    return {"fp32": folder / "fp32.onnx", "quantized": folder / "qdq.onnx", "inputs": inputs, "sqnr": db}
