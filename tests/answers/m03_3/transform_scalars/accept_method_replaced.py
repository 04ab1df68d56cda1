# The given quantizer itself, with one method replaced; the tensors are parameters of shape (1,).
import types

import torch

from common.graph_utils import short


def with_tensors(model):
    count = 0
    for node in list(model.graph.nodes):
        if short(node.target) not in ("add", "add_", "mul", "mul_"):
            continue
        if node.meta["val"].dtype in (torch.int64, torch.int32, torch.bool):
            continue
        new = []
        for a in node.args:
            if isinstance(a, (int, float)):
                setattr(model, f"c{count}", torch.nn.Parameter(torch.full((1,), float(a), dtype=node.meta["val"].dtype), requires_grad=False))
                with model.graph.inserting_before(node):
                    a = model.graph.create_node("get_attr", f"c{count}")
                count += 1
            new.append(a)
        node.args = tuple(new)
    return model


def transform_scalars(quantizer):
    before = quantizer.transform_for_annotation
    quantizer.transform_for_annotation = types.MethodType(lambda self, model: with_tensors(before(model)), quantizer)
    return quantizer
