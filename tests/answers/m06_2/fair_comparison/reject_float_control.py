# finds: float-control
def fair_comparison(tools, nets, train, test, steps):
    gains = []
    for net in nets:
        control = tools.fine_tune(net, train, steps)
        qat = tools.qat(net, train, steps)
        gains.append(tools.score(qat, test) - tools.score(control, test))
    return gains
