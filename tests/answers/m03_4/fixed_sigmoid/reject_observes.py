# finds: observes-instead
import torch

from common.pt2e import ANNOTATION_KEY, MinMaxObserver, QuantizationAnnotation, QuantizationSpec


FIXED = QuantizationSpec(
    dtype=torch.uint8,
    quant_min=0,
    quant_max=255,
    qscheme=torch.per_tensor_affine,
    observer_or_fake_quant_ctr=MinMaxObserver,
)


def fixed_sigmoid(gm, spec):
    for node in gm.graph.nodes:
        if node.target is torch.ops.aten.sigmoid.default:
            node.meta[ANNOTATION_KEY] = QuantizationAnnotation(input_qspec_map={node.args[0]: spec}, output_qspec=FIXED)
