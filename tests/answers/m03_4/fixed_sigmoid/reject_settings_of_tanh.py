# finds: as-for-tanh
import torch

from common.pt2e import ANNOTATION_KEY, FixedQParamsQuantizationSpec, QuantizationAnnotation


KNOWN = FixedQParamsQuantizationSpec(
    dtype=torch.int8, scale=1 / 128, zero_point=0, quant_min=-128, quant_max=127, qscheme=torch.per_tensor_affine
)


def fixed_sigmoid(gm, spec):
    for node in gm.graph.nodes:
        if node.target is torch.ops.aten.sigmoid.default:
            node.meta[ANNOTATION_KEY] = QuantizationAnnotation({node.args[0]: spec}, KNOWN)
