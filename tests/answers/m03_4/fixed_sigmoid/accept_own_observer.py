# An observer class of one's own, which does not look at what it sees.
import torch

from common.pt2e import ANNOTATION_KEY, ObserverBase, QuantizationAnnotation, QuantizationSpec


class KnownObserver(ObserverBase):
    def __init__(self, dtype, quant_min, quant_max, qscheme, **more):
        super().__init__(dtype)
        self.quant_min, self.quant_max, self.qscheme = quant_min, quant_max, qscheme

    def forward(self, x):
        return x

    def calculate_qparams(self):
        return torch.tensor([1 / 256]), torch.tensor([0], dtype=torch.int64)


def fixed_sigmoid(gm, spec):
    known = QuantizationSpec(torch.uint8, KnownObserver, 0, 255, torch.per_tensor_affine)
    for node in gm.graph.nodes:
        if node.target is torch.ops.aten.sigmoid.default:
            node.meta[ANNOTATION_KEY] = QuantizationAnnotation({node.args[0]: spec}, known)
