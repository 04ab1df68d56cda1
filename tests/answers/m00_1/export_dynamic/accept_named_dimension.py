import copy

from torch.export import Dim, export


def export_dynamic(model, example):
    net = copy.deepcopy(model)
    net.eval()
    batch = Dim("batch")
    several = tuple(x.repeat(3, *[1] * (x.dim() - 1)) for x in example)
    program = export(net, several, dynamic_shapes=[{0: batch}] * len(example))
    return program.module()
