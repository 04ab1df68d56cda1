import torch

from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation, QuantizationSpec


def fixed_sigmoid(gm, spec):
    # a QuantizationSpec whose observer is the fixed one
    from torchao.quantization.pt2e import FixedQParamsObserver
    out = QuantizationSpec(dtype=torch.uint8, quant_min=0, quant_max=255, qscheme=torch.per_tensor_affine, observer_or_fake_quant_ctr=FixedQParamsObserver.with_args(scale=1/256, zero_point=0))
    for n in gm.graph.nodes:
        if n.target is torch.ops.aten.sigmoid.default:
            n.meta[ANNOTATION_KEY] = QuantizationAnnotation({n.args[0]: spec}, out)
