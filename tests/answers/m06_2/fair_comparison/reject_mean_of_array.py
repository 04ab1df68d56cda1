# finds: mean-only
import numpy as np


def fair_comparison(tools, nets, train, test, steps):
    qat = [tools.score(tools.qat(n, train, steps), test) for n in nets]
    control = [tools.score(tools.ptq(tools.fine_tune(n, train, steps), train), test) for n in nets]
    return np.mean(np.array(qat) - np.array(control))
