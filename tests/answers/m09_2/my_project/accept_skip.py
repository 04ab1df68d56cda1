import tempfile
from pathlib import Path

import torch
from torch import nn

from common.backends.ort import write_onnx
from common.graph_utils import sqnr
from common.pt2e import convert_pt2e, export_module, get_xnnpack_quantizer, prepare_pt2e

torch.manual_seed(0)


class Skip(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv2d(2, 7, 3, padding=1), nn.Conv2d(7, 7, 3, padding=1)
        self.last = nn.Linear(7 * 36, 5)

    def forward(self, x):
        y = torch.relu(self.first(x))
        return self.last(torch.flatten(torch.relu(self.second(y) + y), 1))


net = Skip().eval()
inputs = torch.rand(40, 2, 6, 6)
folder = Path(tempfile.mkdtemp())


def quantized(model, *batches):
    prepared = prepare_pt2e(export_module(model, (inputs[:2],)), get_xnnpack_quantizer()[0])
    with torch.no_grad():
        for batch in batches:
            prepared(batch)
    return convert_pt2e(prepared)


fp32 = export_module(net, (inputs[:2],))
qdq = quantized(net, torch.rand(64, 2, 6, 6), torch.rand(64, 2, 6, 6))
write_onnx(fp32, (inputs[:2],), folder / "fp32.onnx")
write_onnx(qdq, (inputs[:2],), folder / "qdq.onnx")
with torch.no_grad():
    db = sqnr(fp32(inputs), qdq(inputs))


def my_project():
    return {"fp32": folder / "fp32.onnx", "quantized": folder / "qdq.onnx", "inputs": inputs, "sqnr": db}
