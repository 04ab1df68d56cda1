# finds: other-ops
import torch

from common.pt2e import ANNOTATION_KEY, FixedQParamsQuantizationSpec, QuantizationAnnotation


FIXED = FixedQParamsQuantizationSpec(torch.uint8, 1 / 256, 0, 0, 255, torch.per_tensor_affine)


def fixed_sigmoid(gm, spec):
    for node in gm.graph.nodes:
        if node.target in (torch.ops.aten.sigmoid.default, torch.ops.aten.mul.Tensor):
            node.meta[ANNOTATION_KEY] = QuantizationAnnotation(input_qspec_map={node.args[0]: spec}, output_qspec=FIXED)
