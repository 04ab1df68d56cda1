# finds: other-ops
# not: base-lost
import torch

from common.pt2e import ANNOTATION_KEY, FixedQParamsQuantizationSpec, QuantizationAnnotation


def fixed_sigmoid(gm, spec):
    fixed = FixedQParamsQuantizationSpec(dtype=torch.uint8, scale=1 / 256, zero_point=0, quant_min=0, quant_max=255, qscheme=torch.per_tensor_affine)
    for node in gm.graph.nodes:
        if "sigmoid" in str(node.target):
            node.meta[ANNOTATION_KEY] = QuantizationAnnotation(input_qspec_map={node.args[0]: spec}, output_qspec=fixed)
