import numpy as np


def per_channel_vs_tensor(w):
    a = w.detach().numpy().astype(np.float64).reshape(len(w), -1)

    def worst(scale):
        scale = np.where(scale == 0, 1, scale)
        back = np.clip(np.rint(a / scale), -127, 127) * scale
        err = ((a - back) ** 2).sum(1)
        with np.errstate(all="ignore"):
            db = np.where(err == 0, np.inf, 10 * np.log10((a**2).sum(1) / err))
        return db.min()

    return worst(np.abs(a).max(1, keepdims=True) / 127), worst(np.abs(a).max() / 127)
