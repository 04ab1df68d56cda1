# A hook scales the gradient.
import torch


def ste(x, scale, zero_point):
    with torch.no_grad():
        q = torch.round(x / scale) + zero_point
        inside = ((q >= -128) & (q <= 127)).to(x.dtype)
        values = (q.clamp(-128, 127) - zero_point) * scale
    through = x * 1.0
    through.register_hook(lambda grad: grad * inside)
    return through + (values - through.detach())
