# Builds a new graph, in which nodes have other names.
import torch

ops = torch.ops.quantized_decomposed


def hand_convert(prepared):
    mods = dict(prepared.named_modules(remove_duplicate=False))

    class T(torch.fx.Transformer):
        def call_module(self, target, args, kwargs):
            m = mods[target]
            if not hasattr(m, "calculate_qparams"):
                return super().call_module(target, args, kwargs)
            s, z = m.calculate_qparams()
            if s.numel() > 1 or (getattr(m, "ch_axis", -1) >= 0 and "PerChannel" in type(m).__name__):
                name = target.replace(".", "_")
                prepared.register_buffer(name + "_s", s)
                prepared.register_buffer(name + "_z", z)
                sn = self.get_attr(name + "_s", (), {})
                zn = self.get_attr(name + "_z", (), {})
                q = self.call_function(
                    ops.quantize_per_channel.default,
                    (args[0], sn, zn, m.ch_axis, m.quant_min, m.quant_max, m.dtype),
                    {},
                )
                return self.call_function(
                    ops.dequantize_per_channel.default, (q, sn, zn, m.ch_axis, m.quant_min, m.quant_max, m.dtype), {}
                )
            rest = (s.item(), z.item(), m.quant_min, m.quant_max, m.dtype)
            q = self.call_function(ops.quantize_per_tensor.default, (args[0], *rest), {})
            return self.call_function(ops.dequantize_per_tensor.default, (q, *rest), {})

    return T(prepared).transform()
