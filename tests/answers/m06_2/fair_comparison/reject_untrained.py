# finds: untrained-control
# not: float-control
def fair_comparison(tools, nets, train, test, steps):
    gains = []
    for net in nets:
        control = tools.ptq(net, train)
        qat = tools.qat(net, train, steps)
        gains.append(tools.score(qat, test) - tools.score(control, test))
    return gains
