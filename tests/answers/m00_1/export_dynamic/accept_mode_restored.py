import torch


# Modules are put back one by one: one of them may be in another mode than the rest.
def export_dynamic(model, example):
    modes = {m: m.training for m in model.modules()}
    model.eval()
    try:
        example = tuple(x.expand(2, -1, -1, -1) if x.shape[0] == 1 else x for x in example)
        dynamic = tuple({0: torch.export.Dim.DYNAMIC} for _ in example)
        return torch.export.export(model, example, dynamic_shapes=dynamic).module()
    finally:
        for m, training in modes.items():
            m.training = training
