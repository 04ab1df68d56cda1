# finds: observes-instead
import torch

from common.pt2e import ANNOTATION_KEY, FixedQParamsQuantizationSpec, QuantizationAnnotation


def fixed_sigmoid(gm, spec):
    for node in gm.graph.nodes:
        if node.target is torch.ops.aten.sigmoid.default:
            node.meta[ANNOTATION_KEY] = QuantizationAnnotation(input_qspec_map={node.args[0]: spec}, output_qspec=spec)
