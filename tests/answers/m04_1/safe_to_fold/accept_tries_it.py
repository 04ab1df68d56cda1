# Folds every single one on a copy, and compares what the graph computes.
import copy

import torch

aten = torch.ops.aten
FOLDS_INTO = {aten.conv2d.default, aten.conv2d.padding, aten.conv_transpose2d.input, aten.linear.default}


def fold(gm, name):
    norm = next(n for n in gm.graph.nodes if n.name == name)
    conv = norm.args[0]
    tensor = lambda node: gm.state_dict()[node.target] if isinstance(node, torch.fx.Node) else None
    gamma, beta, mean, var = (tensor(a) for a in norm.args[1:5])
    s = gamma / torch.sqrt(var + norm.args[7])
    with torch.no_grad():
        weight = tensor(conv.args[1])
        shape = [1] * weight.dim()
        shape[1 if "transpose" in str(conv.target) else 0] = -1
        weight.mul_(s.reshape(shape))
        bias = tensor(conv.args[2]) if len(conv.args) > 2 else None
        if bias is None:
            gm.register_buffer("new_bias", (0 - mean) * s + beta)
            with gm.graph.inserting_before(conv):
                node = gm.graph.get_attr("new_bias")
            conv.args = (*conv.args[:2], node, *conv.args[3:])
        else:
            bias.copy_((bias - mean) * s + beta)
    norm.replace_all_uses_with(conv)
    gm.graph.erase_node(norm)
    gm.recompile()


def safe_to_fold(gm):
    x = torch.randn(4, 3, 16, 16)
    with torch.no_grad():
        want = copy.deepcopy(gm)(x)
    safe = set()
    for n in gm.graph.nodes:
        if n.target == aten.batch_norm.default and n.args[0].target in FOLDS_INTO and not n.args[5]:
            tried = copy.deepcopy(gm)
            fold(tried, n.name)
            with torch.no_grad():
                if torch.allclose(tried(x), want, atol=1e-3, rtol=1e-3):
                    safe.add(n.name)
    return safe
