# The right numbers come out, from a float weight: nothing got smaller.
# finds: no-dequantize-of-weight
# not: not-stored
import torch


def quantize_weight(gm, obs_node):
    observer = gm.get_submodule(obs_node.target)
    weight = gm.get_parameter(obs_node.args[0].target)
    scales, zeros = observer.calculate_qparams()
    weight.data = torch.fake_quantize_per_channel_affine(
        weight.detach(), scales, zeros.int(), observer.ch_axis, observer.quant_min, observer.quant_max
    )
    obs_node.replace_all_uses_with(obs_node.args[0])
    gm.graph.erase_node(obs_node)
