# finds: name-of-the-buffer
# not: counter-missed, asks-the-module
# A counter by the name of the buffer; texts of targets.
import torch

aten = torch.ops.aten
FOLDS_INTO = {aten.conv2d.default, aten.conv2d.padding, aten.conv_transpose2d.input, aten.linear.default}


def train_export_leftover(gm):
    nodes = [n for n in gm.graph.nodes if n.op == "call_function"]
    counters = {n.name for n in nodes if str(getattr(n.args[0], "target", "")).endswith("num_batches_tracked")}
    drops = {n.name for n in nodes if "dropout" in str(n.target) and n.args[2] is True}
    norms = {n.name for n in nodes if str(n.target) == "aten.batch_norm.default" and n.args[5] is True}
    return frozenset(counters | drops | norms)
