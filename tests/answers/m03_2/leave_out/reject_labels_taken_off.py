# Takes the labels of the ops off again, and forgets the relu.
# finds: relu-left
import torch
from torch import nn

from common.pt2e import ANNOTATION_KEY


def leave_out(quantizer, module_type):
    target = {nn.Conv2d: torch.ops.aten.conv2d.default, nn.Linear: torch.ops.aten.linear.default}[module_type]
    original = quantizer.annotate

    def annotate(model):
        model = original(model)
        for n in model.graph.nodes:
            if n.target == target:
                n.meta.pop(ANNOTATION_KEY, None)
        return model

    quantizer.annotate = annotate
    return quantizer
