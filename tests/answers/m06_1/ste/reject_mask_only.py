# finds: ignores-upstream
# not: one-everywhere
import torch


class Rounded(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale, zero_point):
        q = torch.round(x / scale) + zero_point
        ctx.save_for_backward((q >= -128) & (q <= 127))
        return (q.clamp(-128, 127) - zero_point) * scale

    @staticmethod
    def backward(ctx, grad):
        (mask,) = ctx.saved_tensors
        return mask.float(), None, None


def ste(x, scale, zero_point):
    return Rounded.apply(x, scale, zero_point)
