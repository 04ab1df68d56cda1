# finds: wrong-way-round
def fair_comparison(tools, nets, train, test, steps):
    gains = []
    for net in nets:
        control = tools.ptq(tools.fine_tune(net, train, steps), train)
        qat = tools.qat(net, train, steps)
        gains.append(tools.score(control, test) - tools.score(qat, test))
    return gains
