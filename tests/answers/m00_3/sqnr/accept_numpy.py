import numpy as np


def sqnr(ref, out):
    r, o = ref.detach().numpy(), out.detach().numpy()
    n = ((r - o) ** 2).sum()
    return np.inf if n == 0 else 10 * np.log10((r**2).sum() / n)
