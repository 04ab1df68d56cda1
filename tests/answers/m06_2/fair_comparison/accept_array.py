import numpy as np


def fair_comparison(tools, nets, train, test, steps):
    qat = np.array([tools.score(tools.qat(n, train, steps), test) for n in nets])
    tuned = [tools.fine_tune(n, data=train, steps=steps) for n in nets]
    control = np.array([tools.score(tools.ptq(t, train), test) for t in tuned])
    return qat - control
