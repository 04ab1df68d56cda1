# Marks the ops of this type before it annotates.
import torch
from torch import nn

from common.pt2e import ANNOTATION_KEY, QuantizationAnnotation


def leave_out(quantizer, module_type):
    target = {nn.Conv2d: torch.ops.aten.conv2d.default, nn.Linear: torch.ops.aten.linear.default}[module_type]
    original = quantizer.annotate

    def annotate(model):
        for n in model.graph.nodes:
            if n.target == target:
                n.meta[ANNOTATION_KEY] = QuantizationAnnotation(_annotated=True)
        return original(model)

    quantizer.annotate = annotate
    return quantizer
