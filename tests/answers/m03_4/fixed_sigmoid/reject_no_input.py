# finds: input-left-out
import torch

from common.pt2e import ANNOTATION_KEY, FixedQParamsQuantizationSpec, QuantizationAnnotation


FIXED = FixedQParamsQuantizationSpec(torch.uint8, 1 / 256, 0, 0, 255, torch.per_tensor_affine)


def fixed_sigmoid(gm, spec):
    for node in gm.graph.nodes:
        if node.target is torch.ops.aten.sigmoid.default:
            node.meta[ANNOTATION_KEY] = QuantizationAnnotation(output_qspec=FIXED)
