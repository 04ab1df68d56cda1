# In place by the schema, modes by the names of the arguments; nodes in a list.
import torch

aten = torch.ops.aten
FOLDS_INTO = {aten.conv2d.default, aten.conv2d.padding, aten.conv_transpose2d.input, aten.linear.default}


def train_export_leftover(gm):
    found = []
    for n in gm.graph.nodes:
        schema = getattr(n.target, "_schema", None)
        if schema is None:
            continue
        named = dict(zip([a.name for a in schema.arguments], n.args)) | n.kwargs
        writes = schema.is_mutable and n.args[0].op == "get_attr"
        if writes or named.get("train") is True or named.get("training") is True:
            found.append(n)
    return found
