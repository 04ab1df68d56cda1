# finds: by-name
# not: counter-missed
import torch

aten = torch.ops.aten


def train_export_leftover(gm):
    found = set()
    for n in gm.graph.nodes:
        if n.target == aten.add_.Tensor and any(a.op == "get_attr" for a in n.all_input_nodes):
            found.add(n.name)
        if n.target in (aten.dropout.default, aten.feature_dropout.default) and n.args[2]:
            found.add(n.name)
        if n.target == aten.batch_norm.default and n.args[5]:
            found.add(n.name)
    return found
