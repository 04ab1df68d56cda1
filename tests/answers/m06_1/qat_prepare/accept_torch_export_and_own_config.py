# torch.export and the config themselves, and plain FakeQuantize.
import copy

import torch

from common.pt2e import move_exported_model_to_train, prepare_qat_pt2e
from common.qat import qat_quantizer


def qat_prepare(model, example):
    dynamic = tuple({0: torch.export.Dim.AUTO} for _ in example)
    graph = torch.export.export(copy.deepcopy(model).eval(), example, dynamic_shapes=dynamic).module()
    return move_exported_model_to_train(prepare_qat_pt2e(copy.deepcopy(graph), qat_quantizer(4)))
