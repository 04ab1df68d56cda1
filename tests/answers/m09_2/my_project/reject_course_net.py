# finds: course-net
# not: not-calibrated, another-net
import tempfile
from pathlib import Path

import torch

from common.backends.ort import write_onnx
from common.graph_utils import sqnr
from common.models import get_model
from common.pt2e import convert_pt2e, export_module, get_xnnpack_quantizer, prepare_pt2e

torch.manual_seed(0)
net = get_model("pool_chain").eval()
inputs = torch.randn(16, 3, 16, 16)
folder = Path(tempfile.mkdtemp())


def quantized(model, *batches):
    prepared = prepare_pt2e(export_module(model, (inputs[:2],)), get_xnnpack_quantizer()[0])
    with torch.no_grad():
        for batch in batches:
            prepared(batch)
    return convert_pt2e(prepared)


fp32 = export_module(net, (inputs[:2],))
qdq = quantized(net, torch.randn(32, 3, 16, 16), torch.randn(32, 3, 16, 16))
write_onnx(fp32, (inputs[:2],), folder / "fp32.onnx")
write_onnx(qdq, (inputs[:2],), folder / "qdq.onnx")
with torch.no_grad():
    db = sqnr(fp32(inputs), qdq(inputs))


def my_project():
    return {"fp32": folder / "fp32.onnx", "quantized": folder / "qdq.onnx", "inputs": inputs, "sqnr": db}
