# What does QAT lose against float?
# finds: float-control
def fair_comparison(tools, nets, train, test, steps):
    gains = []
    for net in nets:
        control = net
        qat = tools.qat(net, train, steps)
        gains.append(tools.score(qat, test) - tools.score(control, test))
    return gains
