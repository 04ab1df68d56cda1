# One fake quant op instead of the two.
# finds: fake-quant
import torch


def quantize_activation(gm, obs_node):
    o = gm.get_submodule(obs_node.target)
    s, z = o.calculate_qparams()
    with gm.graph.inserting_after(obs_node):
        fq = gm.graph.call_function(
            torch.ops.aten.fake_quantize_per_tensor_affine.default,
            (obs_node.args[0], s.item(), z.item(), o.quant_min, o.quant_max),
        )
    obs_node.replace_all_uses_with(fq)
    gm.graph.erase_node(obs_node)
