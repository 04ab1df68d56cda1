import torch

from common.pt2e import ANNOTATION_KEY, FixedQParamsQuantizationSpec, QuantizationAnnotation

from common.graph_utils import short


def fixed_sigmoid(gm, spec):
    for node in list(gm.graph.nodes):
        if node.op == "call_function" and short(node.target) == "sigmoid":
            fixed = FixedQParamsQuantizationSpec(torch.uint8, 0.00390625, 0, quant_min=0, quant_max=255, qscheme=torch.per_tensor_affine)
            label = QuantizationAnnotation(dict.fromkeys(node.all_input_nodes, spec), fixed, _annotated=True)
            node.meta.update({ANNOTATION_KEY: label})
